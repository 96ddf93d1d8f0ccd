//! `cct.db`: the values of `profile.db` by context, read only to compare the two.

use sheaf_model::Progress;

use super::bytes::{DatabaseFault, View};

/// Section of the contexts.
const CONTEXTS: u64 = 0;

/// Bytes of a value: number of the profile, float.
const VALUE: u64 = 12;

/// Bytes of an index of metrics: number, number of its first value.
const INDEX: u64 = 10;

/// A set of values, however they are ordered: their number and the sum of their hashes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Fingerprint {
    pub(super) count: u64,
    sum: u128,
}

impl Fingerprint {
    pub(super) fn add(&mut self, profile: u32, context: u32, metric: u16, value: f64) {
        let place = u64::from(profile) << 32 | u64::from(context);
        let hash = mix(mix(mix(place) ^ u64::from(metric)) ^ value.to_bits());
        self.count += 1;
        self.sum = self
            .sum
            .wrapping_add(u128::from(hash) << 32 | u128::from(mix(hash) >> 32));
    }
}

/// The finaliser of splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number
/// generators, 2014).
fn mix(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

/// The values of a file.
pub(super) fn fingerprint(
    view: View<'_>,
    progress: &Progress,
) -> Result<Fingerprint, DatabaseFault> {
    let at = view.section(CONTEXTS)?;
    let count = u64::from(view.u32(at + 8)?);
    let stride = u64::from(view.u8(at + 0xc)?);
    let contexts = view.records(view.u64(at)?, count, stride, 0x20)?;
    let mut found = Fingerprint::default();
    let mut budget = view.len();
    for (context, at) in (0_u32..).zip(contexts.iter()) {
        progress.check()?;
        let values = view.records(view.u64(at + 8)?, view.u64(at)?, VALUE, VALUE)?;
        let count = u64::from(view.u16(at + 0x10)?);
        let indices = view.records(view.u64(at + 0x18)?, count, INDEX, INDEX)?;
        let size = values.count() * VALUE + indices.count() * INDEX;
        budget = (budget.checked_sub(size))
            .ok_or_else(|| DatabaseFault::new(at, "contexts share values"))?;
        let mut indices = indices.iter().peekable();
        let mut before = 0;
        while let Some(index) = indices.next() {
            let metric = view.u16(index)?;
            let begin = view.u64(index + 2)?;
            let end = match indices.peek() {
                Some(next) => view.u64(next + 2)?,
                None => values.count(),
            };
            if begin < before || end < begin || end > values.count() {
                return Err(DatabaseFault::new(index, "values of metrics overlap"));
            }
            before = end;
            for value in (begin..end).filter_map(|number| values.get(number)) {
                found.add(view.u32(value)?, context, metric, view.f64(value + 4)?);
            }
        }
    }
    Ok(found)
}
