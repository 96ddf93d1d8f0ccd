//! Shared support of the test targets.
