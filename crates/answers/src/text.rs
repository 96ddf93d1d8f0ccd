//! Answers in English: the one place where reasons, notes and numbers become text.

mod explain;
mod metric_name;
mod note;
mod number;
mod reason;

pub use explain::{associated, cause};
pub use metric_name::metric_in_words;
pub use number::{ABSENT, Scale, change, count, counted, difference, number, percent, quantity};
