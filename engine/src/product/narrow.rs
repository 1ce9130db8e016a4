//! An array of numbers whose entries are only as wide as the largest one requires: mostly a byte.

/// A number for each index. It is 0 unless it was set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Narrow {
    Bytes(Vec<u8>),
    Wide(Vec<u32>),
}

impl Default for Narrow {
    fn default() -> Self {
        Narrow::Bytes(Vec::new())
    }
}

impl Narrow {
    /// The number of an index.
    #[inline]
    pub(crate) fn get(&self, at: usize) -> u32 {
        match self {
            Narrow::Bytes(bytes) => bytes.get(at).map_or(0, |&byte| byte.into()),
            Narrow::Wide(numbers) => numbers.get(at).copied().unwrap_or(0),
        }
    }

    /// Sets the number of an index.
    #[inline]
    pub(crate) fn set(&mut self, at: usize, number: u32) {
        match (&mut *self, u8::try_from(number)) {
            (Narrow::Bytes(bytes), Ok(byte)) => {
                if bytes.len() <= at {
                    bytes.resize(at + 1, 0);
                }
                bytes[at] = byte;
            }
            (Narrow::Bytes(bytes), Err(_)) => {
                *self = Narrow::Wide(bytes.iter().map(|&byte| byte.into()).collect());
                self.set(at, number);
            }
            (Narrow::Wide(numbers), _) => {
                if numbers.len() <= at {
                    numbers.resize(at + 1, 0);
                }
                numbers[at] = number;
            }
        }
    }

    /// All numbers up to the last index that was set.
    pub(crate) fn iter(&self) -> impl Iterator<Item = u32> {
        let length = match self {
            Narrow::Bytes(bytes) => bytes.len(),
            Narrow::Wide(numbers) => numbers.len(),
        };
        (0..length).map(|at| self.get(at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stay_when_others_are_wider() {
        let mut narrow = Narrow::default();
        for (at, number) in [(3, 7), (0, 255), (9, 1), (5, 256), (3, 8), (12, u32::MAX)] {
            narrow.set(at, number);
            assert_eq!(narrow.get(at), number);
        }
        assert!(matches!(narrow, Narrow::Wide(_)));
        let expected = [255, 0, 0, 8, 0, 256, 0, 0, 0, 1, 0, 0, u32::MAX];
        assert_eq!(narrow.iter().collect::<Vec<_>>(), expected);
        assert_eq!(narrow.get(100), 0);
    }
}
