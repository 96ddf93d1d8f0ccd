//! Every file of the shared reference data against what the original tools say of it.
//!
//! One test per format; `make conformance` prints the table of all: files read, values compared,
//! differences, and known faults of the original tools, which are asserted as such.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::cast_sign_loss,
    reason = "a test may stop, print, and trust its data"
)]

mod caliper;
mod call_profiles;
mod chrome;
mod comparison;
mod dag_recorder;
mod digest;
mod grain_graphs;
mod graphml;
mod hpctoolkit;
mod mir;
mod taskflow;
