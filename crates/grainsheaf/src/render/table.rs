//! Tables for terminals: aligned columns, names shortened to fit, colours for verdicts only.

mod markup;

use super::text::{plain, shortened, width};
use super::wrapped;

/// Space between columns.
const GAP: &str = "  ";
/// Columns of names are not made narrower than this.
const MIN_NAME: usize = 12;
/// Names of this width can be distinguished; before they are made narrower, columns are left out that can be spared.
const READABLE_NAME: usize = 26;

/// What a terminal can show.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Layout {
    /// Columns of the terminal; unlimited when absent.
    pub(crate) width: Option<usize>,
    /// Whether colours are wanted.
    pub(crate) has_colour: bool,
}

/// The tone of a cell, shown as a colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Tone {
    /// Nothing.
    #[default]
    Plain,
    /// Better.
    Good,
    /// Worse.
    Bad,
    /// To be looked at.
    Notable,
    /// Of no weight.
    Faint,
}

impl Tone {
    /// The text in the tone's colour, when colours are wanted.
    pub(crate) fn paint(self, text: &str, has_colour: bool) -> String {
        let code = match self {
            Self::Plain => return text.to_owned(),
            Self::Good => "32",
            Self::Bad => "31",
            Self::Notable => "33",
            Self::Faint => "2",
        };
        if has_colour {
            format!("\u{1b}[{code}m{text}\u{1b}[0m")
        } else {
            text.to_owned()
        }
    }
}

/// How a column is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// To the left, shortened when the table is too wide.
    Name,
    /// To the left.
    Word,
    /// To the right.
    Number,
}

/// A table: columns first, then rows with one cell per column.
#[derive(Debug, Clone, Default)]
pub(crate) struct Table {
    columns: Vec<(String, Kind)>,
    /// Headers of columns that can be left out, the least needed first.
    spare: Vec<String>,
    rows: Vec<Vec<(String, Tone)>>,
}

impl Table {
    /// Adds a column of names, which may be shortened.
    pub(crate) fn name(self, header: impl Into<String>) -> Self {
        self.column(header, Kind::Name)
    }

    /// Adds a column of words.
    pub(crate) fn word(self, header: impl Into<String>) -> Self {
        self.column(header, Kind::Word)
    }

    /// Adds a column of numbers.
    pub(crate) fn number(self, header: impl Into<String>) -> Self {
        self.column(header, Kind::Number)
    }

    /// Adds a column.
    pub(crate) fn column(mut self, header: impl Into<String>, kind: Kind) -> Self {
        self.columns.push((header.into(), kind));
        self
    }

    /// Says which columns can be left out on a narrow terminal, by their headers, the least needed first.
    pub(crate) fn spare<S: Into<String>>(mut self, headers: impl IntoIterator<Item = S>) -> Self {
        self.spare.extend(headers.into_iter().map(Into::into));
        self
    }

    /// Adds a row of plain cells.
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.toned_row(cells.into_iter().map(|cell| (cell, Tone::Plain)));
    }

    /// Adds a row.
    pub(crate) fn toned_row(&mut self, cells: impl IntoIterator<Item = (String, Tone)>) {
        let cells = cells
            .into_iter()
            .map(|(text, tone)| (plain(&text), tone))
            .collect::<Vec<_>>();
        debug_assert_eq!(cells.len(), self.columns.len(), "one cell per column");
        self.rows.push(cells);
    }

    /// The table as lines, each indented by `indent`.
    pub(crate) fn render(&self, layout: Layout, indent: &str) -> String {
        let hidden = self.hidden(layout, indent);
        if hidden.is_empty() {
            return self.lines(layout, indent);
        }
        let headers = hidden.iter().map(|&column| self.columns[column].0.as_str());
        let headers = headers.collect::<Vec<_>>().join(", ");
        let kept = self.without(&hidden).lines(layout, indent);
        let left_out = format!("left out for want of room: {headers}");
        kept + &wrapped(&left_out, [indent, &format!("{indent}  ")], layout.width)
    }

    /// Columns to be left out so that names stay readable, in their order.
    fn hidden(&self, layout: Layout, indent: &str) -> Vec<usize> {
        let Some(limit) = layout.width else {
            return Vec::new();
        };
        let widths = self.widths(Layout::default(), indent);
        let mut hidden: Vec<usize> = Vec::new();
        for header in &self.spare {
            let kept = (0..widths.len()).filter(|column| !hidden.contains(column));
            let needs = kept.map(|column| match self.columns[column].1 {
                Kind::Name => widths[column].min(READABLE_NAME) + GAP.len(),
                Kind::Word | Kind::Number => widths[column] + GAP.len(),
            });
            if needs.sum::<usize>() + width(indent) <= limit + GAP.len() {
                break;
            }
            hidden.extend(self.columns.iter().position(|(known, _)| known == header));
        }
        hidden.sort_unstable();
        hidden
    }

    fn without(&self, hidden: &[usize]) -> Self {
        fn kept<T: Clone>(all: &[T], hidden: &[usize]) -> Vec<T> {
            let kept = all.iter().enumerate();
            let kept = kept.filter(|(column, _)| !hidden.contains(column));
            kept.map(|(_, one)| one.clone()).collect()
        }
        Self {
            columns: kept(&self.columns, hidden),
            spare: Vec::new(),
            rows: self.rows.iter().map(|row| kept(row, hidden)).collect(),
        }
    }

    fn lines(&self, layout: Layout, indent: &str) -> String {
        let widths = self.widths(layout, indent);
        let mut text = String::new();
        if self.columns.iter().any(|(header, _)| !header.is_empty()) {
            let headers = self
                .columns
                .iter()
                .map(|(header, _)| (header.as_str(), Tone::Plain));
            self.line(&mut text, headers, &widths, layout, indent);
        }
        for row in &self.rows {
            let cells = row.iter().map(|(cell, tone)| (cell.as_str(), *tone));
            self.line(&mut text, cells, &widths, layout, indent);
        }
        text
    }

    fn line<'a>(
        &self,
        text: &mut String,
        cells: impl Iterator<Item = (&'a str, Tone)>,
        widths: &[usize],
        layout: Layout,
        indent: &str,
    ) {
        let mut line = indent.to_owned();
        let last = widths.len().saturating_sub(1);
        let columns = self.columns.iter().zip(widths);
        for (index, ((cell, tone), ((_, kind), room))) in cells.zip(columns).enumerate() {
            let short = shortened(cell, *room);
            let padding = " ".repeat(room.saturating_sub(width(&short)));
            let painted = tone.paint(&short, layout.has_colour);
            match kind {
                Kind::Number => line.extend([padding.as_str(), painted.as_str()]),
                // No blanks at the end of lines, which would wrap on a narrow terminal.
                Kind::Name | Kind::Word if index == last => line.push_str(&painted),
                Kind::Name | Kind::Word => line.extend([painted.as_str(), padding.as_str()]),
            }
            line.push_str(if index == last { "" } else { GAP });
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }

    fn widths(&self, layout: Layout, indent: &str) -> Vec<usize> {
        let mut widths: Vec<usize> = self
            .columns
            .iter()
            .map(|(header, _)| width(header))
            .collect();
        for row in &self.rows {
            for (room, (cell, _)) in widths.iter_mut().zip(row) {
                *room = (*room).max(width(cell));
            }
        }
        if let Some(limit) = layout.width {
            let gaps = GAP.len() * widths.len().saturating_sub(1) + width(indent);
            self.narrow(&mut widths, limit.saturating_sub(gaps));
        }
        widths
    }

    /// Takes from the widest column of names, one by one, until the table fits or no name can
    /// give any more.
    fn narrow(&self, widths: &mut [usize], limit: usize) {
        while widths.iter().sum::<usize>() > limit {
            let names = widths.iter_mut().zip(&self.columns);
            let widest = names
                .filter(|(room, (_, kind))| *kind == Kind::Name && **room > MIN_NAME)
                .max_by_key(|(room, _)| **room);
            let Some((room, _)) = widest else { return };
            *room -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Table {
        let mut table = Table::default()
            .name("group")
            .number("mean (ms)")
            .word("verdict");
        table.toned_row([
            ("sort.c:merge_sort_parallel_loop".into(), Tone::Plain),
            ("1.25".into(), Tone::Plain),
            ("▲ slower".into(), Tone::Bad),
        ]);
        table.row(["évil\u{1b}name".into(), "–".into(), "= unchanged".into()]);
        table
    }

    #[test]
    fn columns_are_aligned() {
        let expected = "\
group                            mean (ms)  verdict
sort.c:merge_sort_parallel_loop       1.25  ▲ slower
évil\\u{1b}name                           –  = unchanged
";
        assert_eq!(sample().render(Layout::default(), ""), expected);
    }

    #[test]
    fn names_are_shortened_to_the_terminal() {
        let layout = Layout {
            width: Some(44),
            has_colour: false,
        };
        let expected = [
            "  group               mean (ms)  verdict",
            "  sort.c:me…lel_loop       1.25  ▲ slower",
            "  évil\\u{1b}name              –  = unchanged",
            "",
        ];
        assert_eq!(sample().render(layout, "  "), expected.join("\n"));
    }

    #[test]
    fn columns_that_can_be_spared_make_room_for_names() {
        let layout = |columns| Layout {
            width: Some(columns),
            has_colour: false,
        };
        let table = sample().spare(["mean (ms)"]);
        assert_eq!(
            table.render(layout(80), "  "),
            sample().render(layout(80), "  ")
        );
        let narrow = table.render(layout(42), "  ");
        let lines: Vec<&str> = narrow.lines().collect();
        assert_eq!(lines.len(), 4, "{narrow}");
        assert!(
            lines[0].ends_with("  verdict") && !lines[0].contains("mean"),
            "{narrow}"
        );
        assert!(
            lines[1].contains("sort.c:merge") && lines[1].ends_with("▲ slower"),
            "{narrow}"
        );
        assert_eq!(lines[3], "  left out for want of room: mean (ms)");
        assert!(lines.iter().all(|line| width(line) <= 42), "{narrow}");
    }

    #[test]
    fn colours_go_around_words() {
        let layout = Layout {
            width: None,
            has_colour: true,
        };
        let text = sample().render(layout, "");
        assert!(text.contains("\u{1b}[31m▲ slower\u{1b}[0m\n"), "{text}");
    }
}
