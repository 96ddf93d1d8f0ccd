//! The time of small runs by hand, of simulated ones against brute force, and of very large ones.

mod by_hand;
mod large;
mod simulated;
mod simulation;
pub(crate) mod text;
