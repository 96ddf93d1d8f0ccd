//! Answers as text: wire types in, text out. Nothing here asks, computes or prints.

mod diff;
mod explain;
mod gate;
mod grain_diff;
mod grains;
mod history;
mod import;
mod info;
mod locations;
mod maintenance;
mod noise;
mod notes;
mod paths;
mod projection;
mod record;
mod report;
mod runs;
mod scale;
mod selection;
mod similar;
mod stats;
mod table;
mod text;
mod tree;
mod what_if;
mod why;

use std::borrow::Borrow;
use std::fmt::Write as _;

use sheaf_answers::ParamValue;

pub(crate) use diff::{diff, mapping};
pub(crate) use explain::explain;
pub(crate) use gate::{gate, gate_headline, gate_junit, gate_markdown};
pub(crate) use grain_diff::grain_diff;
pub(crate) use grains::{grains, problems};
pub(crate) use history::history;
pub(crate) use import::{Detail, add};
pub(crate) use info::info;
pub(crate) use locations::locations;
pub(crate) use maintenance::{
    compact, parameter_rules, remarks, remove, renamed, restore, set, verify,
};
pub(crate) use noise::noise;
use notes::notes;
pub(crate) use paths::{loops, parallelism, paths, scheduling};
pub(crate) use projection::projection;
pub(crate) use record::record;
pub(crate) use report::{
    Material, Statistics, diff_report, ensemble_report, gate_report, run_report,
};
pub(crate) use runs::{Columns, runs};
pub(crate) use scale::{scale, series_shown};
pub(crate) use similar::similar;
pub(crate) use stats::stats;
pub(crate) use table::{Layout, Tone};
pub(crate) use text::{counted, plain};
pub(crate) use tree::{note_of_cut, tree};
pub(crate) use what_if::{what_first, what_if, what_if_check};
pub(crate) use why::Ending;

use sheaf_answers::text::ABSENT;

/// Digits of a run id that tables show; commands take any unique beginning.
const ID_DIGITS: usize = 8;

/// Default number of rows of a table.
pub(crate) const DEFAULT_ROWS: usize = 30;

/// A value as text, or the sign of an absent one.
fn or_absent<T>(value: Option<T>, show: impl FnOnce(T) -> String) -> String {
    value.map_or_else(|| ABSENT.to_owned(), show)
}

fn short_id(id: &str) -> String {
    id.chars().take(ID_DIGITS).collect()
}

fn value(value: &ParamValue) -> String {
    value.shown()
}

fn values(all: &[ParamValue]) -> String {
    const SHOWN: usize = 4;
    if all.is_empty() {
        return ABSENT.to_owned();
    }
    let mut text = all
        .iter()
        .take(SHOWN)
        .map(value)
        .collect::<Vec<_>>()
        .join(", ");
    if all.len() > SHOWN {
        let _ = write!(text, ", … ({} values)", all.len());
    }
    text
}

/// A context path, or the one name of a group.
fn path<S: Borrow<str>>(names: &[S]) -> String {
    names.join(" › ")
}

/// Says how many rows are not shown.
fn more(total: usize, shown: usize, one: &str, many: &str) -> String {
    if total > shown {
        let hidden = counted((total - shown) as u64, one, many);
        format!("… {hidden}; `--limit 0` shows all\n")
    } else {
        String::new()
    }
}

/// How many of `total` rows a limit of `limit` shows; 0 is all.
fn limited(total: usize, limit: usize) -> usize {
    if limit == 0 { total } else { total.min(limit) }
}

/// The legend below a table, in lines that fit the terminal and are not too long to read.
fn legend(text: &str, layout: Layout) -> String {
    const LONGEST: usize = 120;
    let limit = layout.width.unwrap_or(LONGEST).min(LONGEST);
    wrapped(text, ["  ", "  "], Some(limit))
}

/// A text in lines of at most `limit` columns, as far as its words allow; the first line and the others begin with
/// `indents`.
fn wrapped(text: &str, indents: [&str; 2], limit: Option<usize>) -> String {
    let limit = limit.unwrap_or(usize::MAX);
    let text = plain(text);
    let mut lines = indents[0].to_owned();
    let mut column = text::width(indents[0]);
    let mut is_first = true;
    for word in text.split(' ') {
        let room = text::width(word);
        if is_first {
            is_first = false;
        } else if column.saturating_add(1 + room) > limit {
            lines.push('\n');
            lines.push_str(indents[1]);
            column = text::width(indents[1]);
        } else {
            lines.push(' ');
            column += 1;
        }
        lines.push_str(word);
        column += room;
    }
    lines.push('\n');
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn legends_fit_the_terminal() {
        let text = "A, B: means over runs; change: typical ratio";
        let layout = |width| Layout {
            width,
            has_colour: false,
        };
        assert_eq!(legend(text, layout(None)), format!("  {text}\n"));
        let narrow = legend(text, layout(Some(24)));
        assert_eq!(
            narrow,
            "  A, B: means over runs;\n  change: typical ratio\n"
        );
        assert_eq!(legend("overlong", layout(Some(4))), "  overlong\n");
    }
}
