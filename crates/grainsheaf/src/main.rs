//! The `grainsheaf` command.

fn main() {}
