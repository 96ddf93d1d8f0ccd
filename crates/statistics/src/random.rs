//! Seeded pseudo-random number generator (`SplitMix64`).

/// Seeded pseudo-random number generator (`SplitMix64`; Steele, Lea & Flood 2014), with the same sequence on
/// every machine.
///
/// ```
/// use sheaf_statistics::Random;
/// let mut of_group = Random::keyed(1, &["main/sort", "median"]);
/// let mut again = Random::keyed(1, &["main/sort", "median"]);
/// assert_eq!(of_group.bits(), again.bits());
/// ```
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// A generator with this seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A generator for the item named by `key`, such as a group and a statistic. It does not depend on other
    /// items, so the order of groups and the number of threads do not matter.
    pub fn keyed(seed: u64, key: &[&str]) -> Self {
        // FNV-1a of the texts, each after its length, so that `ab`, `c` and `a`, `bc` differ.
        let mut hash = 0xcbf2_9ce4_8422_2325_u64 ^ seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut add = |byte: u8| {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        };
        for text in key {
            (text.len() as u64)
                .to_le_bytes()
                .into_iter()
                .for_each(&mut add);
            text.bytes().for_each(&mut add);
        }
        Self(hash)
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Uniform in the open interval (0, 1).
    pub fn unit(&mut self) -> f64 {
        ((self.bits() >> 12) as f64 + 0.5) / (1_u64 << 52) as f64
    }

    /// Uniform below `bound`; 0 if `bound` is 0. The bias is less than `bound` / 2⁶⁴.
    pub fn below(&mut self, bound: usize) -> usize {
        let product = u128::from(self.bits()) * bound as u128;
        usize::try_from(product >> 64).unwrap_or_default()
    }

    /// Shuffles `values` (Fisher & Yates).
    pub fn shuffle<T>(&mut self, values: &mut [T]) {
        for last in (1..values.len()).rev() {
            values.swap(last, self.below(last + 1));
        }
    }

    /// Standard normal (Box & Muller 1958).
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * self.unit().ln()).sqrt();
        radius * (std::f64::consts::TAU * self.unit()).cos()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_published_sequence() {
        // First values of SplitMix64 for seed 1234567, from its reference implementation.
        let mut random = Random::new(1_234_567);
        let values = [random.bits(), random.bits(), random.bits()];
        assert_eq!(
            values,
            [
                6_457_827_717_110_365_317,
                3_203_168_211_198_807_973,
                9_817_491_932_198_370_423
            ]
        );
    }

    #[test]
    fn keys_are_told_apart() {
        let first = |seed, key: &[&str]| Random::keyed(seed, key).bits();
        assert_ne!(first(1, &["ab", "c"]), first(1, &["a", "bc"]));
        assert_ne!(first(1, &["a"]), first(2, &["a"]));
        assert_ne!(first(1, &["a"]), first(1, &["a", ""]));
    }

    #[test]
    fn moments_are_those_of_the_distributions() {
        let mut random = Random::new(7);
        let count = 100_000;
        let mut moments = [0.0; 4];
        for _ in 0..count {
            let (unit, normal) = (random.unit(), random.normal());
            let values = [unit, normal, normal * normal];
            for (moment, value) in moments.iter_mut().zip(values) {
                *moment += value / f64::from(count);
            }
            moments[3] += random.below(10) as f64 / f64::from(count);
        }
        for (moment, expected) in moments.into_iter().zip([0.5, 0.0, 1.0, 4.5]) {
            assert!((moment - expected).abs() < 0.03, "{moments:?}");
        }
        assert_eq!(Random::new(1).below(0), 0);
    }
}
