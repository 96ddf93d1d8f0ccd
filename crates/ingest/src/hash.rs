//! A hash map for keys of a few integers.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A map that is several times faster than the standard one, and never iterated.
pub(crate) type FastMap<K, V> = HashMap<K, V, BuildHasherDefault<FastHasher>>;

/// Multiplies and folds, as `rustc-hash` 2 does.
#[derive(Default, Clone, Copy)]
pub(crate) struct FastHasher(u64);

const FACTOR: u64 = 0xf135_7aea_2e62_a9c5;

impl Hasher for FastHasher {
    fn finish(&self) -> u64 {
        self.0.rotate_left(26)
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u8(&mut self, value: u8) {
        self.write_u64(u64::from(value));
    }

    fn write_u32(&mut self, value: u32) {
        self.write_u64(u64::from(value));
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = (self.0.wrapping_add(value)).wrapping_mul(FACTOR);
    }

    fn write_usize(&mut self, value: usize) {
        self.write_u64(value as u64);
    }

    fn write_isize(&mut self, value: isize) {
        self.write_usize(value.cast_unsigned());
    }
}
