//! Distances drawn in a few dimensions, and how much of them something explains.

mod eigen;
mod explained;
mod scaling;
#[cfg(test)]
pub(crate) mod tests;

pub use explained::{Explained, explained};
pub use scaling::{Projection, classical_scaling};
