#![doc = include_str!("../README.md")]

mod bound_calls;
mod callbacks;
mod clock;
mod counters;
mod cpu;
mod current;
mod doacross;
mod file;
pub mod format;
mod gomp;
mod mappings;
mod metadata;
mod mpi;
pub mod ompt;
mod process;
mod start;
mod stream;
mod task_callbacks;
mod usage;

pub use start::ompt_start_tool;
