//! The titles, legends and licence around the tables of gprof: they show whether an output was cut.
//!
//! A title stands before each table, and a legend behind it (before it in the traditional layout). A form feed closes
//! the legend. The licence of the legend follows, in outputs since 2012, and then the next title after a form feed.

/// The first words of the legends of both tables.
const LEGENDS: [&str; 2] = [
    "% the percentage of the total",
    "This table describes the call tree of the program",
];

/// Titles of tables; without legends, a call graph has the first two words of its title only.
const TITLES: [&str; 4] = [
    "Flat profile:",
    "flat profile:",
    "Call graph (explanation follows)",
    "call graph profile:",
];

/// Bytes of a title that are not taken for anything else.
const TITLE_START: usize = 4;

/// The first words of the licence.
const LICENCE: &str = "Copyright (C)";

/// The last words of the licence.
const LICENCE_END: &str = "are preserved.";

/// Follows the lines outside of tables.
#[derive(Debug, Default)]
pub(super) struct Legend {
    part: Part,
    /// Whether a title stands before a table that has not begun.
    awaits_table: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Part {
    #[default]
    Other,
    Legend,
    /// The form feed behind the legend.
    Closed,
    Licence,
    /// Behind the licence.
    End,
    /// A form feed behind the licence: something follows.
    Break,
}

impl Legend {
    /// Takes a line outside of tables.
    pub(super) fn line(&mut self, line: &str) {
        let text = line.trim();
        let has_form_feed = line.starts_with('\u{c}');
        // The end of the last line may be missing.
        let is_begun = TITLES.iter().any(|title| title.starts_with(text));
        self.part = match self.part {
            Part::Legend if has_form_feed => Part::Closed,
            Part::Legend => Part::Legend,
            Part::Licence if text.ends_with(LICENCE_END) => Part::End,
            Part::Licence => Part::Licence,
            Part::End if has_form_feed => Part::Break,
            part if text.is_empty() => part,
            Part::Break if is_begun => Part::Break,
            _ if is_legend(text) => Part::Legend,
            Part::Closed if text.starts_with(LICENCE) || LICENCE.starts_with(text) => Part::Licence,
            _ => Part::Other,
        };
        self.awaits_table |= is_begun && text.len() >= TITLE_START;
    }

    /// A table begins.
    pub(super) fn table(&mut self) {
        *self = Self::default();
    }

    /// Whether an output that ends here has lost its rest.
    pub(super) fn is_cut(&self) -> bool {
        self.awaits_table || matches!(self.part, Part::Legend | Part::Licence | Part::Break)
    }
}

/// Whether a legend begins with a line, of which the end may be missing.
fn is_legend(text: &str) -> bool {
    let words = text.split_ascii_whitespace();
    let text = words.take(10).collect::<Vec<_>>().join(" ");
    // The traditional layout names the column.
    let text = text.replacen("%time", "%", 1);
    LEGENDS
        .iter()
        .any(|legend| text.starts_with(legend) || (text.contains(' ') && legend.starts_with(&text)))
}
