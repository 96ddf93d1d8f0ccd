//! How alike trees are: ids of equal structures, and measures of what two trees share.
//!
//! A [`LabelledTree`](crate::LabelledTree) is what is compared; it gives ids of structures (Aho, Hopcroft and Ullman 1974), the
//! labels of Weisfeiler and Lehman's rounds (Shervashidze et al. 2011) and paths of labels, each as
//! [`Features`]: how often each id occurs. Measures are merges of two such lists.

mod delta_con;
mod features;
mod matrix;
#[cfg(test)]
mod tests;
mod weisfeiler_lehman;

pub use delta_con::delta_con;
pub use features::Features;
pub use matrix::min_max_matrix;
pub(crate) use weisfeiler_lehman::{mix, rounds};
