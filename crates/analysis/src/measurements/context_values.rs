//! Exclusive and inclusive values of every context of a run.

use std::borrow::Cow;
use std::ops::{AddAssign, Sub};

use sheaf_model::MetricKind;

use crate::tree::NONE;

/// Numbers that sums are made of.
pub(super) trait Amount:
    Copy + Default + PartialEq + AddAssign + Sub<Output = Self>
{
    fn to_float(self) -> f64;
    /// Whether a difference is no more than the rounding of `whole`.
    fn is_rounding_of(self, whole: Self) -> bool;
}

/// Exact while the magnitudes of all values together fit, which whoever builds values checks.
impl Amount for i64 {
    fn to_float(self) -> f64 {
        self as f64
    }
    fn is_rounding_of(self, _: Self) -> bool {
        false
    }
}

impl Amount for i128 {
    fn to_float(self) -> f64 {
        self as f64
    }
    fn is_rounding_of(self, _: Self) -> bool {
        false
    }
}

impl Amount for f64 {
    fn to_float(self) -> f64 {
        self
    }
    fn is_rounding_of(self, whole: Self) -> bool {
        self.abs() <= whole.abs() * 1e-12
    }
}

/// Values of every context of a run, lane by lane.
pub(super) struct ContextValues<'a, N: Clone> {
    pub(super) lanes: usize,
    pub(super) exclusive: Cow<'a, [N]>,
    pub(super) inclusive: Vec<N>,
    /// Whether the context itself was measured.
    pub(super) is_own: Cow<'a, [bool]>,
    /// Whether the context or anything below it was measured.
    pub(super) is_below: Vec<bool>,
}

impl<'a, N: Amount> ContextValues<'a, N> {
    /// From one of the two values of each context to both, in one backward pass.
    pub(super) fn new(
        parents: &[u32],
        lanes: usize,
        sums: Cow<'a, [N]>,
        is_measured: Cow<'a, [bool]>,
        kind: MetricKind,
    ) -> Self {
        let mut is_below = is_measured.to_vec();
        for (row, &parent) in parents.iter().enumerate().rev() {
            if parent != NONE {
                is_below[parent as usize] |= is_below[row];
            }
        }
        let (exclusive, inclusive) = if kind == MetricKind::Inclusive {
            let (exclusive, inclusive) = split_given(parents, lanes, &sums);
            (Cow::Owned(exclusive), inclusive)
        } else {
            let inclusive = add_callees(parents, lanes, &sums);
            (sums, inclusive)
        };
        Self {
            lanes,
            exclusive,
            inclusive,
            is_own: is_measured,
            is_below,
        }
    }
}

/// Inclusive values from exclusive ones.
fn add_callees<N: Amount>(parents: &[u32], lanes: usize, exclusive: &[N]) -> Vec<N> {
    let mut inclusive = exclusive.to_vec();
    for (row, &parent) in parents.iter().enumerate().rev() {
        if parent != NONE {
            add_to_parent(&mut inclusive, lanes, row, parent as usize);
        }
    }
    inclusive
}

/// Both values from those that the source gives as inclusive.
fn split_given<N: Amount>(parents: &[u32], lanes: usize, given: &[N]) -> (Vec<N>, Vec<N>) {
    let mut exclusive = given.to_vec();
    // Of callees, until the pass comes to the context itself.
    let mut inclusive = vec![N::default(); given.len()];
    for (row, &parent) in parents.iter().enumerate().rev() {
        for at in row * lanes..(row + 1) * lanes {
            (exclusive[at], inclusive[at]) = split(given[at], inclusive[at]);
        }
        if parent != NONE {
            add_to_parent(&mut inclusive, lanes, row, parent as usize);
        }
    }
    (exclusive, inclusive)
}

/// Parents stand before their children.
fn add_to_parent<N: Amount>(values: &mut [N], lanes: usize, row: usize, parent: usize) {
    let (before, own) = values.split_at_mut(row * lanes);
    let parent = &mut before[parent * lanes..(parent + 1) * lanes];
    for (sum, value) in parent.iter_mut().zip(own) {
        *sum += *value;
    }
}

/// Exclusive and inclusive value of a context whose source gives the inclusive one. A source
/// that gives nothing for a caller is completed from its callees.
fn split<N: Amount>(given: N, callees: N) -> (N, N) {
    if given == N::default() {
        return (N::default(), callees);
    }
    let own = given - callees;
    if own.is_rounding_of(given) {
        (N::default(), given)
    } else {
        (own, given)
    }
}
