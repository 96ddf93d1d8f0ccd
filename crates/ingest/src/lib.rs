#![doc = include_str!("../README.md")]

mod buckets;
mod caliper;
mod chrome;
mod content;
mod cprofile;
pub mod dag_recorder;
mod decimal;
mod error;
mod format;
mod gprof;
mod gprof2dot;
mod graphml;
mod hash;
mod hatchet;
mod hints;
mod hpctoolkit;
mod hpctoolkit3;
mod hpctoolkit4;
mod json_pull;
mod json_start;
mod json_tree;
mod lanes;
mod limits;
mod measure;
pub mod mir;
mod profile;
mod program;
mod program_name;
mod pyinstrument;
mod python_source;
mod reader;
mod records;
mod symbols;
mod taskflow;
mod tau;
#[cfg(test)]
mod testing;
mod timemory;
pub mod trace;

pub use content::{Content, Input, Stream};
pub use error::Error;
pub use format::Format;
pub use hints::{Hints, Parentage};
pub use reader::{Reading, Run, SNIFF_LEN, Together, read, sniff};
pub use symbols::{ModuleFile, ModuleSource, NoModules, NoSymbols, Symbols};
