#![doc = include_str!("../README.md")]

pub mod edit;
mod labelled_tree;
pub mod matching;
pub mod similarity;
#[cfg(test)]
mod testing;

pub use labelled_tree::LabelledTree;
