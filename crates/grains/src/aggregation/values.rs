//! Values of groups from the values of grains.

use arrow::array::{Array, BooleanBufferBuilder, Float64Array, Int64Array};
use arrow::buffer::NullBuffer;

use super::Propagation;
use super::tree::{AggregationTree, GroupKind};

/// A sum that 64 bits do not hold.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the sum of group `{node}` does not fit 64 bits")]
pub struct SumOverflow {
    /// The group.
    pub node: u32,
}

impl AggregationTree {
    /// Values of all nodes from the values of grains, by row. Sums are exact. Linear.
    ///
    /// # Errors
    /// [`SumOverflow`], never for the other rules.
    pub fn propagate_integers(
        &self,
        grains: &Int64Array,
        how: Propagation,
    ) -> Result<Int64Array, SumOverflow> {
        let of_grain =
            |row: usize| (row < grains.len() && grains.is_valid(row)).then(|| grains.value(row));
        let mut overflow = None;
        let (values, nulls) = self.propagate(of_grain, |node, children: &mut Vec<i64>| match how {
            Propagation::Sum => {
                let sum: i128 = children.iter().map(|&value| i128::from(value)).sum();
                i64::try_from(sum).unwrap_or_else(|_| {
                    overflow.get_or_insert(SumOverflow { node });
                    0
                })
            }
            Propagation::Minimum => children.iter().copied().min().unwrap_or(0),
            Propagation::Maximum => children.iter().copied().max().unwrap_or(0),
            Propagation::UpperMedian => upper_median(children, i64::cmp),
            Propagation::Any => i64::from(children.iter().any(|&value| value != 0)),
        });
        match overflow {
            Some(overflow) => Err(overflow),
            None => Ok(Int64Array::new(values.into(), nulls)),
        }
    }

    /// Values of all nodes from the values of grains, by row. A value that is no number counts as absent.
    /// Sums are taken over the children in their order. Linear.
    pub fn propagate_floats(&self, grains: &Float64Array, how: Propagation) -> Float64Array {
        let of_grain = |row: usize| {
            let value = (row < grains.len() && grains.is_valid(row)).then(|| grains.value(row));
            value.filter(|value| !value.is_nan())
        };
        let (values, nulls) = self.propagate(of_grain, |_, children: &mut Vec<f64>| match how {
            Propagation::Sum => children.iter().sum(),
            Propagation::Minimum => children.iter().copied().fold(f64::INFINITY, f64::min),
            Propagation::Maximum => children.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            Propagation::UpperMedian => upper_median(children, f64::total_cmp),
            Propagation::Any => f64::from(children.iter().any(|&value| value != 0.0)),
        });
        Float64Array::new(values.into(), nulls)
    }

    /// Values of all nodes, and nodes without one. Children come before parents; `combine` gets the values of the
    /// children that have one, in their order.
    fn propagate<T: Copy + Default>(
        &self,
        of_grain: impl Fn(usize) -> Option<T>,
        mut combine: impl FnMut(u32, &mut Vec<T>) -> T,
    ) -> (Vec<T>, Option<NullBuffer>) {
        let mut values = vec![T::default(); self.len()];
        let mut is_known = BooleanBufferBuilder::new(self.len());
        is_known.append_n(self.len(), false);
        let mut known = Vec::new();
        for node in self.nodes().rev() {
            let at = node as usize;
            let value = if self.kinds[at] == GroupKind::Grain {
                of_grain(self.items[at] as usize)
            } else {
                known.clear();
                let children = self.children(node).map(|child| child as usize);
                let children = children.filter(|&child| is_known.get_bit(child));
                known.extend(children.map(|child| values[child]));
                (!known.is_empty()).then(|| combine(node, &mut known))
            };
            if let Some(value) = value {
                values[at] = value;
                is_known.set_bit(at, true);
            }
        }
        let nulls = NullBuffer::new(is_known.finish());
        (values, Some(nulls).filter(|nulls| nulls.null_count() > 0))
    }
}

/// The middle of the values in order, of two the greater.
fn upper_median<T: Copy>(values: &mut [T], order: impl FnMut(&T, &T) -> std::cmp::Ordering) -> T {
    let middle = values.len() / 2;
    *values.select_nth_unstable_by(middle, order).1
}
