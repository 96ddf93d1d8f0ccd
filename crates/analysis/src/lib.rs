#![doc = include_str!("../README.md")]

pub mod layout;
pub mod statistics;
