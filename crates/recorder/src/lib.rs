#![doc = include_str!("../README.md")]

mod callbacks;
mod clock;
mod counters;
mod cpu;
mod current;
mod file;
pub mod format;
mod mappings;
mod metadata;
pub mod ompt;
mod process;
mod start;
mod stream;
mod task_callbacks;

pub use start::ompt_start_tool;
