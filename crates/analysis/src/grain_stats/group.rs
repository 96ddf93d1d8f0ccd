//! Exact statistics of the values of one group.

use rayon::prelude::*;

use super::values::Slice;

/// Values of a group that are summed by one task; more are divided.
const ALONE: usize = 1 << 19;
/// Values of a group that are sorted; of more a histogram costs less.
const FEW: usize = 1 << 11;

/// Statistics of one group's values; exact.
#[derive(Debug, Clone, PartialEq)]
pub struct GrainStatistics {
    /// Values.
    pub count: u64,
    /// Their sum.
    pub sum: i128,
    /// Sum of their squares; at the end of the range where it does not fit.
    pub sum_squares: u128,
    /// Least value.
    pub min: i64,
    /// Greatest value.
    pub max: i64,
    /// Quartiles of type 7, rounded once.
    pub quartiles: [f64; 3],
    /// Values in bins of equal width from least to greatest; the last includes its end. One bin where all
    /// values are equal. A value v is in bin ⌊(v − min) · bins / (max − min)⌋.
    pub bins: Vec<u64>,
}

impl GrainStatistics {
    /// Mean, rounded once.
    pub fn mean(&self) -> f64 {
        self.sum as f64 / self.count as f64
    }

    /// Standard deviation with n − 1; absent below two values.
    pub fn standard_deviation(&self) -> Option<f64> {
        let others = self.count.checked_sub(1).filter(|&others| others > 0)?;
        // n Σx² − (Σx)² in integers, so that nothing cancels; in floats where these do not fit.
        let count = u128::from(self.count);
        let whole = self.sum_squares.checked_mul(count);
        let mean = self.sum.unsigned_abs().checked_pow(2);
        let scaled = match whole
            .zip(mean)
            .and_then(|(whole, mean)| whole.checked_sub(mean))
        {
            Some(scaled) => scaled as f64 / self.count as f64,
            None => (self.sum_squares as f64 - self.mean() * self.sum as f64).max(0.0),
        };
        Some((scaled / others as f64).sqrt())
    }

    /// Of slices in any order; `None` of no values. Two passes, linear.
    pub(super) fn of(slices: &[Slice<'_>], bins: u32) -> Option<Self> {
        let count: usize = slices.iter().map(Slice::len).sum();
        if count <= FEW {
            return Self::of_few(slices, bins);
        }
        let coarse = Coarse::of(slices);
        let wanted = coarse.wanted_ranks();
        let fine = Fine::new(&coarse, &wanted, bins).over(slices);
        Some(Self {
            count: coarse.count,
            sum: coarse.sum,
            sum_squares: coarse.sum_squares,
            min: coarse.min,
            max: coarse.max,
            quartiles: fine.quartiles(&coarse),
            bins: fine.bins.counts,
        })
    }
}

impl GrainStatistics {
    /// The same by sorting, which is cheaper for few values.
    pub(super) fn of_few(slices: &[Slice<'_>], bins: u32) -> Option<Self> {
        let mut values: Vec<i64> = Vec::new();
        for slice in slices {
            match slice {
                Slice::Narrow(narrow) => values.extend(narrow.iter().map(|&it| i64::from(it))),
                Slice::Wide(wide) => values.extend_from_slice(wide),
            }
        }
        values.sort_unstable();
        let (&min, &max) = (values.first()?, values.last()?);
        let (mut sum, mut sum_squares) = (0_i128, 0_u128);
        for &value in &values {
            sum += i128::from(value);
            let size = u128::from(value.unsigned_abs());
            sum_squares = sum_squares.saturating_add(size * size);
        }
        let count = values.len() as u64;
        let mut binning = Binning::new(min, max, bins);
        for &value in &values {
            binning.take(value);
        }
        let value = |rank: u64| {
            usize::try_from(rank)
                .ok()
                .and_then(|at| values.get(at))
                .copied()
        };
        Some(Self {
            count,
            sum,
            sum_squares,
            min,
            max,
            quartiles: places(count).map(|place| between(place, |rank| value(rank).unwrap_or(max))),
            bins: binning.counts,
        })
    }
}

/// For each quartile the rank of the value below it, and in quarters how far it is to the next.
fn places(count: u64) -> [(u64, u64); 3] {
    [1, 2, 3].map(|quarter| {
        let place = u128::from(count - 1) * quarter;
        let below = u64::try_from(place / 4).unwrap_or(u64::MAX);
        (below, u64::try_from(place % 4).unwrap_or(0))
    })
}

/// The quartile at a place; four times it is an integer.
fn between((below, part): (u64, u64), value_at: impl Fn(u64) -> i64) -> f64 {
    let low = i128::from(value_at(below));
    let high = if part == 0 {
        low
    } else {
        i128::from(value_at(below + 1))
    };
    (4 * low + (high - low) * i128::from(part)) as f64 / 4.0
}

/// Counts in bins of equal width.
#[derive(Clone)]
struct Binning {
    min: i64,
    /// Offset from the least value at which each bin but the first begins.
    begins: Vec<u64>,
    to_bin: f64,
    counts: Vec<u64>,
}

impl Binning {
    fn new(min: i64, max: i64, bins: u32) -> Self {
        let range = max.abs_diff(min);
        let bins = if range == 0 { 1 } else { bins.max(1) };
        let begin = |bin: u32| {
            let edge = u128::from(range) * u128::from(bin);
            u64::try_from(edge.div_ceil(u128::from(bins))).unwrap_or(u64::MAX)
        };
        Self {
            min,
            begins: (1..bins).map(begin).collect(),
            to_bin: f64::from(bins) / range.max(1) as f64,
            counts: vec![0; bins as usize],
        }
    }

    #[inline]
    fn take(&mut self, value: i64) {
        let offset = value.abs_diff(self.min);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "between 0 and the number of bins"
        )]
        let guess = (offset as f64 * self.to_bin) as usize;
        // Rounding may lead into a neighbour.
        let mut bin = guess.min(self.begins.len());
        while bin > 0 && self.begins[bin - 1] > offset {
            bin -= 1;
        }
        while self.begins.get(bin).is_some_and(|&begin| begin <= offset) {
            bin += 1;
        }
        self.counts[bin] += 1;
    }
}

/// Buckets that a value below zero, or one of 63 bits, can be in: 64 per power of two on each side.
const BUCKETS: usize = 2 * 58 * 64 + 128;
/// Bucket of zero.
const ZERO: usize = BUCKETS / 2;

/// Bucket of a size, as in the quantile sketch: its highest seven bits, and how many follow them.
#[inline]
fn bucket_of_size(size: u64) -> usize {
    let shift = (57 - (size | 64).leading_zeros()) as usize;
    64 * shift + usize::try_from(size >> shift).unwrap_or(0)
}

/// Buckets ascend with values.
#[inline]
fn bucket(value: i64) -> usize {
    if value >= 0 {
        ZERO + bucket_of_size(value.cast_unsigned())
    } else {
        // The least value's size has no bucket of its own: it shares that of its neighbour.
        ZERO - bucket_of_size(value.saturating_neg().cast_unsigned())
    }
}

/// Sums and a coarse histogram: where quartiles lie.
struct Coarse {
    count: u64,
    sum: i128,
    sum_squares: u128,
    min: i64,
    max: i64,
    buckets: Vec<u32>,
    /// Counts that outgrew 32 bits are carried here.
    carried: Vec<u64>,
}

impl Coarse {
    fn new() -> Self {
        Self {
            count: 0,
            sum: 0,
            sum_squares: 0,
            min: i64::MAX,
            max: i64::MIN,
            buckets: vec![0; BUCKETS],
            carried: Vec::new(),
        }
    }

    fn of(slices: &[Slice<'_>]) -> Self {
        let count: usize = slices.iter().map(Slice::len).sum();
        if count <= ALONE {
            let mut coarse = Self::new();
            for slice in slices {
                coarse.add(*slice);
            }
            return coarse;
        }
        let parts = pieces(slices);
        parts
            .into_par_iter()
            .fold(Self::new, |mut coarse, slice| {
                coarse.add(slice);
                coarse
            })
            .reduce(Self::new, Self::merged)
    }

    fn add(&mut self, slice: Slice<'_>) {
        // Within a slice of 2³² values at most no count of 32 bits overflows; between slices it is carried.
        if self.count > 0 && (self.count + slice.len() as u64) >> 32 != self.count >> 32 {
            self.carry();
        }
        self.count += slice.len() as u64;
        match slice {
            Slice::Narrow(values) => self.add_narrow(values),
            Slice::Wide(values) => self.add_wide(values),
        }
    }

    fn add_narrow(&mut self, values: &[u32]) {
        let (mut min, mut max, mut sum, mut squares) = (u32::MAX, 0, 0_u64, 0_u128);
        let Some(buckets) = self.buckets.get_mut(ZERO..) else {
            return;
        };
        for &value in values {
            min = min.min(value);
            max = max.max(value);
            let wide = u64::from(value);
            sum += wide;
            squares += u128::from(wide * wide);
            buckets[bucket_of_size(wide)] += 1;
        }
        if !values.is_empty() {
            self.min = self.min.min(i64::from(min));
            self.max = self.max.max(i64::from(max));
        }
        self.sum += i128::from(sum);
        self.sum_squares = self.sum_squares.saturating_add(squares);
    }

    fn add_wide(&mut self, values: &[i64]) {
        for &value in values {
            self.min = self.min.min(value);
            self.max = self.max.max(value);
            self.sum += i128::from(value);
            let size = u128::from(value.unsigned_abs());
            self.sum_squares = self.sum_squares.saturating_add(size * size);
            self.buckets[bucket(value)] += 1;
        }
    }

    fn carry(&mut self) {
        self.carried.resize(BUCKETS, 0);
        for (carried, count) in self.carried.iter_mut().zip(&mut self.buckets) {
            *carried += u64::from(std::mem::take(count));
        }
    }

    fn merged(mut self, mut other: Self) -> Self {
        if (self.count + other.count) >> 32 > 0 {
            self.carry();
            other.carry();
        }
        for (sum, count) in self.buckets.iter_mut().zip(&other.buckets) {
            *sum += count;
        }
        if !other.carried.is_empty() {
            self.carried.resize(BUCKETS, 0);
            for (sum, count) in self.carried.iter_mut().zip(&other.carried) {
                *sum += count;
            }
        }
        self.count += other.count;
        self.sum += other.sum;
        self.sum_squares = self.sum_squares.saturating_add(other.sum_squares);
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        self
    }

    fn in_bucket(&self, bucket: usize) -> u64 {
        u64::from(self.buckets[bucket]) + self.carried.get(bucket).copied().unwrap_or(0)
    }

    /// The ranks that quartiles need, ascending, each once.
    fn wanted_ranks(&self) -> Vec<u64> {
        let places = places(self.count).into_iter();
        let mut ranks: Vec<u64> = places
            .flat_map(|(below, part)| [below, below + u64::from(part > 0)])
            .collect();
        ranks.dedup();
        ranks
    }
}

/// Values around the quartiles, and the bins.
struct Fine {
    /// Whether a bucket's values are collected.
    is_wanted: Vec<bool>,
    /// First rank of the values of each collected bucket, which ascend.
    first_rank: Vec<(usize, u64)>,
    collected: Vec<i64>,
    bins: Binning,
}

impl Fine {
    fn new(coarse: &Coarse, ranks: &[u64], bins: u32) -> Self {
        let mut fine = Self {
            is_wanted: vec![false; BUCKETS],
            first_rank: Vec::new(),
            collected: Vec::new(),
            bins: Binning::new(coarse.min, coarse.max, bins),
        };
        let mut first = 0;
        let mut ranks = ranks.iter().copied().peekable();
        let mut room = 0;
        for bucket in 0..BUCKETS {
            let count = coarse.in_bucket(bucket);
            while ranks.next_if(|&rank| rank < first + count).is_some() {
                if !fine.is_wanted[bucket] {
                    fine.is_wanted[bucket] = true;
                    fine.first_rank.push((bucket, first));
                    room += count;
                }
            }
            first += count;
        }
        fine.collected.reserve(usize::try_from(room).unwrap_or(0));
        fine
    }

    fn over(self, slices: &[Slice<'_>]) -> Self {
        let count: usize = slices.iter().map(Slice::len).sum();
        let mut fine = if count <= ALONE {
            let mut fine = self;
            for slice in slices {
                fine.add(*slice);
            }
            fine
        } else {
            let parts = pieces(slices).into_par_iter();
            let parts = parts.fold(
                || self.empty(),
                |mut fine, slice| {
                    fine.add(slice);
                    fine
                },
            );
            parts.reduce(|| self.empty(), Self::merged).with_ranks(self)
        };
        // One value of each bucket is looked for, whatever the order they came in.
        fine.collected.sort_unstable();
        fine
    }

    fn empty(&self) -> Self {
        let mut bins = self.bins.clone();
        bins.counts.fill(0);
        Self {
            is_wanted: self.is_wanted.clone(),
            first_rank: Vec::new(),
            collected: Vec::new(),
            bins,
        }
    }

    fn merged(mut self, mut other: Self) -> Self {
        self.collected.append(&mut other.collected);
        for (sum, count) in self.bins.counts.iter_mut().zip(&other.bins.counts) {
            *sum += count;
        }
        self
    }

    fn with_ranks(mut self, other: Self) -> Self {
        self.first_rank = other.first_rank;
        self
    }

    fn add(&mut self, slice: Slice<'_>) {
        match slice {
            Slice::Narrow(values) => {
                for &value in values {
                    let value = i64::from(value);
                    let bucket = ZERO + bucket_of_size(value.cast_unsigned());
                    self.take(value, bucket);
                }
            }
            Slice::Wide(values) => {
                for &value in values {
                    self.take(value, bucket(value));
                }
            }
        }
    }

    #[inline]
    fn take(&mut self, value: i64, bucket: usize) {
        if self.is_wanted[bucket] {
            self.collected.push(value);
        }
        self.bins.take(value);
    }

    fn quartiles(&self, coarse: &Coarse) -> [f64; 3] {
        places(coarse.count).map(|place| between(place, |rank| self.value_at(rank, coarse)))
    }

    /// The value of a rank; it is in a collected bucket.
    fn value_at(&self, rank: u64, coarse: &Coarse) -> i64 {
        let mut start = 0;
        for &(bucket, first) in &self.first_rank {
            let count = coarse.in_bucket(bucket);
            if (first..first + count).contains(&rank) {
                let place = usize::try_from(start + rank - first).unwrap_or(usize::MAX);
                return self.collected.get(place).copied().unwrap_or(coarse.min);
            }
            start += count;
        }
        coarse.min
    }
}

/// Slices cut so that no task has much more than another.
fn pieces<'a>(slices: &[Slice<'a>]) -> Vec<Slice<'a>> {
    const LEN: usize = 1 << 17;
    let mut pieces = Vec::new();
    for slice in slices {
        match slice {
            Slice::Narrow(values) => pieces.extend(values.chunks(LEN).map(Slice::Narrow)),
            Slice::Wide(values) => pieces.extend(values.chunks(LEN).map(Slice::Wide)),
        }
    }
    pieces
}

impl Slice<'_> {
    fn len(&self) -> usize {
        match self {
            Self::Narrow(values) => values.len(),
            Self::Wide(values) => values.len(),
        }
    }
}
