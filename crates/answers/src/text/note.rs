//! Notes in English.

mod diff;
mod explain;
mod group;
mod history;
mod metric;
mod rename;
mod run;
mod scale;
mod similar;
mod source;
mod what_if;

#[cfg(test)]
mod tests;

use std::fmt;

use crate::FirstNames;

/// A number of runs: `1 run`, `7 runs`.
struct Runs(u64);

impl fmt::Display for Runs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = if self.0 == 1 { "run" } else { "runs" };
        write!(f, "{} {word}", self.0)
    }
}

impl fmt::Display for FirstNames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.names.join(", "))?;
        match self.more {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}

/// Names in backquotes, joined by commas.
fn quoted(names: &[String]) -> String {
    format!("`{}`", names.join("`, `"))
}
