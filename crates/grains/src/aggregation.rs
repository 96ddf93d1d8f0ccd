//! The aggregation tree of one run: groups within groups, down to the grains ("Towards Aggregated
//! Grain Graphs", 2017).
//!
//! [`AggregationTree::reduced`] replaces, innermost first, what stands between a fork and its join by a
//! fork-join group, and what stands in a row by a linear group of two. [`normalised`] makes nested linear
//! groups one; [`AggregationTree::of`] does both at once. [`separated`] puts aside what has no problem.
//! Values of grains become values of groups by [`Propagation`].
//!
//! Trees are flat arrays in pre-order; every pass is a loop over them, linear in nodes and edges, whatever
//! the depth.
//!
//! [`normalised`]: AggregationTree::normalised
//! [`separated`]: AggregationTree::separated

mod build;
mod builder;
mod labels;
mod propagation;
mod separation;
mod series_parallel;
#[cfg(test)]
mod tests;
mod text;
mod tree;
mod values;
mod visible;

pub use propagation::Propagation;
pub use text::TreeText;
pub use tree::{AggregationTree, Children, Counts, GroupKind};
pub use values::SumOverflow;
