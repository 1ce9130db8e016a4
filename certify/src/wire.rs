//! Numbers of a body, as [`verify::wire`] reads them.

use flate2::Compression;
use flate2::write::ZlibEncoder;

/// Numbers of a body, as they are written before they are compressed.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Numbers {
    bytes: Vec<u8>,
}

impl Numbers {
    /// Writes a number.
    pub fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.bytes.push(number as u8);
    }

    /// What was written.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Writes a list whose numbers ascend.
    pub fn ascending(&mut self, list: &[u32]) {
        self.number(list.len() as u64);
        let mut first = 0;
        for &one in list {
            self.number(u64::from(one - first));
            first = one + 1;
        }
    }
}

/// Compresses the parts of a body: fast, for the numbers have little that repeats.
pub fn compress<'p>(
    parts: impl IntoIterator<Item = &'p [u8]>,
    output: impl std::io::Write,
) -> std::io::Result<()> {
    let mut encoder = ZlibEncoder::new(output, Compression::fast());
    for part in parts {
        std::io::Write::write_all(&mut encoder, part)?;
    }
    std::io::Write::flush(&mut encoder.finish()?)
}
