//! The body of a certificate: one compressed stream of numbers.
//!
//! A number is written seven bits a byte, the low ones first; all bytes but its last have the high bit.
//! Nothing is read before it is needed, and nothing is taken on trust: a count makes a loop and no
//! allocation, so a stream that unfolds to more than it should meets the limits of the run.

use crate::verdict::{Refusal, malformed};
use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;

/// Reads the numbers of a body.
#[derive(Debug)]
pub struct Reader<I: std::io::Read> {
    input: std::io::BufReader<ZlibDecoder<I>>,
}

impl<I: std::io::Read> Reader<I> {
    /// Reads from a compressed stream.
    pub fn new(input: I) -> Reader<I> {
        Reader { input: std::io::BufReader::new(ZlibDecoder::new(input)) }
    }

    /// The next number.
    pub fn number(&mut self) -> Result<u64, Refusal> {
        run::poll();
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?.ok_or_else(|| malformed("it ends too early"))?;
            let part = u64::from(byte & 0x7f);
            if part << shift >> shift != part {
                break;
            }
            number |= part << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(malformed("a number of it is too large"))
    }

    /// The next number, which must be below a bound.
    pub fn below(&mut self, bound: usize) -> Result<u32, Refusal> {
        let number = self.number()?;
        let fits = usize::try_from(number).is_ok_and(|number| number < bound);
        match u32::try_from(number) {
            Ok(number) if fits => Ok(number),
            _ => Err(malformed(&format!("{number} stands where numbers are below {bound}"))),
        }
    }

    /// A list of numbers below a bound, each greater than the one before it.
    pub fn ascending(&mut self, bound: usize) -> Result<Vec<u32>, Refusal> {
        let mut list: Vec<u32> = Vec::new();
        for _ in 0..self.number()? {
            let first = list.last().map_or(0, |last| last + 1);
            let left = bound.saturating_sub(first as usize);
            list.push(first + self.below(left)?);
        }
        Ok(list)
    }

    /// Nothing must follow.
    pub fn end(mut self) -> Result<(), Refusal> {
        match self.byte()? {
            None => Ok(()),
            Some(_) => Err(malformed("something follows its end")),
        }
    }

    fn byte(&mut self) -> Result<Option<u8>, Refusal> {
        let mut byte = [0];
        loop {
            return match std::io::Read::read(&mut self.input, &mut byte) {
                Ok(0) => Ok(None),
                Ok(_) => Ok(Some(byte[0])),
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(error) => Err(malformed(&error.to_string())),
            };
        }
    }
}

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

/// Writes the parts of a body, compressed.
pub fn write(parts: &[Numbers], output: impl std::io::Write) -> std::io::Result<()> {
    let mut encoder = ZlibEncoder::new(output, Compression::default());
    for part in parts {
        std::io::Write::write_all(&mut encoder, &part.bytes)?;
    }
    std::io::Write::flush(&mut encoder.finish()?)
}
