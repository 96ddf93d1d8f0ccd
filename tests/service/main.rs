//! The service as the real binary serves it: every route, its errors, and who may ask.

mod access;
mod answers;
mod callers;
mod connections;
mod depth;
mod forms;
mod imports;
mod load;
mod notes;
mod questions;
mod refusals;
mod revisions;
mod robustness;
mod sources;
mod stop;
mod symbols;
mod tables;

use sheaf_tests::sample;
