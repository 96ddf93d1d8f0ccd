#![doc = include_str!("../README.md")]

pub mod diff;
pub mod explain;
pub mod gate;
pub mod grain_diff;
pub mod history;
pub mod noise;
pub mod renaming;
pub mod similarity;
pub mod unrecorded_loops;
