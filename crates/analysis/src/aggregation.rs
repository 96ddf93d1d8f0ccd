//! The aggregation tree of one run: groups within groups, down to the grains.

mod propagation;

pub use propagation::Propagation;
