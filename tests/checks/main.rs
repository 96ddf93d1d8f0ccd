//! Rules of the house that a machine can hold.

mod architecture;
mod links;
mod tidy;
