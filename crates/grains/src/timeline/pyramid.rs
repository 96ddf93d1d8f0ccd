//! Extremes of blocks of a step function, of blocks of blocks, and so on.

use std::ops::Range;

use super::steps::{LAYERS, Values};

/// Blocks of a level that one block of the next stands for.
const FAN: usize = 16;

/// Least and greatest values.
#[derive(Clone, Copy)]
pub(super) struct Extremes {
    pub(super) min: Values,
    pub(super) max: Values,
}

impl Extremes {
    /// Of no values.
    pub(super) const NONE: Self = Self {
        min: [u32::MAX; LAYERS],
        max: [0; LAYERS],
    };

    #[inline]
    pub(super) fn add(&mut self, values: &Values) {
        self.merge(&Self {
            min: *values,
            max: *values,
        });
    }

    #[inline]
    pub(super) fn merge(&mut self, other: &Self) {
        for layer in 0..LAYERS {
            self.min[layer] = self.min[layer].min(other.min[layer]);
            self.max[layer] = self.max[layer].max(other.max[layer]);
        }
    }

    /// Where nothing was seen nothing is.
    pub(super) fn fill(&mut self) {
        for layer in 0..LAYERS {
            self.min[layer] = self.min[layer].min(self.max[layer]);
        }
    }
}

/// Levels, the finest first.
#[derive(Default)]
pub(super) struct Pyramid {
    levels: Vec<Vec<Extremes>>,
}

impl Pyramid {
    pub(super) fn of(finest: Vec<Extremes>) -> Self {
        let mut levels = vec![finest];
        while let Some(finer) = levels.last().filter(|level| level.len() > FAN) {
            let merged = finer.chunks(FAN).map(|blocks| {
                let mut all = Extremes::NONE;
                for block in blocks {
                    all.merge(block);
                }
                all
            });
            let coarser = merged.collect();
            levels.push(coarser);
        }
        Self { levels }
    }

    /// Extremes over blocks of the finest level, in O(log blocks).
    pub(super) fn extremes(&self, blocks: Range<usize>) -> Extremes {
        let mut all = Extremes::NONE;
        let (mut first, mut last) = (blocks.start, blocks.end);
        for (number, level) in self.levels.iter().enumerate() {
            let mut take = |at: usize| {
                if let Some(block) = level.get(at) {
                    all.merge(block);
                }
            };
            let is_coarsest = number + 1 == self.levels.len();
            while first < last && (is_coarsest || !first.is_multiple_of(FAN)) {
                take(first);
                first += 1;
            }
            while first < last && !last.is_multiple_of(FAN) {
                last -= 1;
                take(last);
            }
            (first, last) = (first / FAN, last / FAN);
        }
        all
    }
}
