#![doc = include_str!("../README.md")]

mod error;
mod reader;
mod symbols;
pub mod trace;

pub use error::Error;
pub use reader::{Format, Input, Reading, Run, SNIFF_LEN, read, sniff};
pub use symbols::{ModuleSource, NoModules, Symbols};
