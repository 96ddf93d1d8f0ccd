//! Permutation tests and bootstrap intervals of any statistic.

mod bootstrap;
mod permutation;

pub use bootstrap::{Bootstrap, bootstrap};
pub use permutation::{MAX_RELABELINGS, Permutation, permutation};
