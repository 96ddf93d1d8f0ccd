//! Seeded pseudo-random numbers (`SplitMix64`; Steele, Lea and Flood 2014).

/// A state that a seed begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below `limit`; 0 if that is 0.
    pub(super) fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        place(mix(self.0), limit)
    }
}

/// A number below `limit` that follows from a seed and a key alone.
pub(super) fn drawn(seed: u64, key: u64, limit: usize) -> usize {
    let state = mix(seed.wrapping_add(0x9e37_79b9_7f4a_7c15)) ^ key;
    place(mix(state.wrapping_add(0x9e37_79b9_7f4a_7c15)), limit)
}

fn place(bits: u64, limit: usize) -> usize {
    // The high bits of the product are nearly uniform below the limit (Lemire 2019).
    let product = u128::from(bits) * limit as u128;
    usize::try_from(product >> 64).unwrap_or(0)
}

fn mix(state: u64) -> u64 {
    let bits = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}
