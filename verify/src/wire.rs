//! The body of a certificate: one compressed stream of numbers.
//!
//! A number is written seven bits a byte, the low ones first; all bytes but its last have the high bit.
//! Nothing is read before it is needed, and nothing is taken on trust: a count makes a loop and no
//! allocation, so a stream that unfolds to more than it should meets the limits of the run.

use crate::verdict::{Refusal, malformed};
use flate2::read::ZlibDecoder;

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
        let small = u32::try_from(number).ok().filter(|&number| (number as usize) < bound);
        small.ok_or_else(|| malformed(&format!("{number} stands where numbers are below {bound}")))
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
        let buffered = std::io::BufRead::fill_buf(&mut self.input);
        let byte = buffered.map_err(|error| malformed(&error.to_string()))?.first().copied();
        std::io::BufRead::consume(&mut self.input, usize::from(byte.is_some()));
        Ok(byte)
    }
}
