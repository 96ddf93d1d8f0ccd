//! Projections of distances to a few dimensions, and the share of distances that variables explain.

mod eigen;
mod explained;
mod scaling;
#[cfg(test)]
pub(crate) mod tests;

pub use explained::{Explained, explained};
pub use scaling::{Projection, classical_scaling};
