#![doc = include_str!("../README.md")]

mod labelled_tree;
pub mod matching;
pub mod similarity;

pub use labelled_tree::LabelledTree;
