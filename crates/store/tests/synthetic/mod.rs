//! Runs made from a seed: arbitrary ones for properties, task programs and call profiles for
//! measurements.

pub(crate) mod arbitrary;
pub(crate) mod programs;

/// A small generator of numbers (`SplitMix64`, Steele et al. 2014): the same everywhere.
#[derive(Debug, Clone)]
pub(crate) struct Numbers(u64);

impl Numbers {
    /// The numbers of a seed.
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Any number.
    pub(crate) fn any(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`; 0 when that is 0.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        let bound = u64::try_from(bound).unwrap().max(1);
        usize::try_from(self.any() % bound).unwrap()
    }

    /// A row number below `bound`.
    pub(crate) fn row(&mut self, bound: usize) -> i32 {
        i32::try_from(self.below(bound)).unwrap()
    }

    /// True once in `n` times.
    pub(crate) fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// A time around `typical`, skewed to the right as measured times are.
    pub(crate) fn time(&mut self, typical: usize) -> i64 {
        let spread = self.below(typical) + self.below(typical) * self.below(4) / 3;
        i64::try_from(typical / 2 + spread).unwrap()
    }
}
