//! What the tests of the readers share.
#![allow(dead_code, reason = "each test binary uses a part")]

pub(crate) mod invariants;
pub(crate) mod programs;
