//! What the tests of the readers share.
#![allow(dead_code, reason = "each test binary uses a part")]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may stop")]

pub(crate) mod invariants;
pub(crate) mod programs;
