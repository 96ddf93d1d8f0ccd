//! Finds gprof's tables between the explanations around them.

use sheaf_model::{Progress, Report};

use super::graph::{Arc, Block, Line, Primary, word};
use super::legend::Legend;
use super::name::Name;
use crate::Error;
use crate::decimal::Decimal;

/// Blanks that stand where the three columns of calls are missing; with a count there are never
/// as many.
const BLANK_COLUMNS: usize = 20;

/// Everything that an output holds.
#[derive(Debug, Default)]
pub(super) struct Tables<'a> {
    /// Time that one sample stands for.
    pub(super) sample: Option<Decimal>,
    pub(super) has_no_time: bool,
    pub(super) flat: Option<Flat<'a>>,
    /// Bytes of code that one hit covers, and the time of all hits.
    pub(super) granularity: Option<(Decimal, Option<Decimal>)>,
    pub(super) blocks: Vec<Block<'a>>,
    /// Whether the tables end where they should.
    pub(super) is_complete: bool,
}

/// The flat profile.
#[derive(Debug)]
pub(super) struct Flat<'a> {
    /// What times count: `seconds`, but for profiles of something else.
    pub(super) dimension: &'a str,
    /// The unit of times per call, as `ms/call`.
    pub(super) per_call: &'a str,
    pub(super) rows: Vec<Row<'a>>,
}

/// A function in the flat profile.
#[derive(Debug)]
pub(super) struct Row<'a> {
    pub(super) name: Name<'a>,
    pub(super) time: Decimal,
    pub(super) calls: Option<Calls>,
}

/// What is known of functions whose calls were counted.
#[derive(Debug)]
pub(super) struct Calls {
    pub(super) count: i64,
    /// Own time per call, in the unit of the other times.
    pub(super) time: Decimal,
    pub(super) total: Decimal,
}

/// Recognises the header lines, which explanations and other tools' tables do not have.
pub(super) fn is_gprof(start: &[u8]) -> bool {
    let lines = start.split(|byte| *byte == b'\n');
    lines
        .filter_map(|line| std::str::from_utf8(line).ok())
        .any(|line| flat_header(line).is_some() || is_graph_header(line))
}

/// `time seconds seconds calls ms/call ms/call name`: dimension and unit per call.
fn flat_header(line: &str) -> Option<(&str, &str)> {
    if !line.trim_start().starts_with("time ") {
        return None;
    }
    let mut words = line.split_ascii_whitespace().skip(1);
    let (dimension, _, calls) = (words.next()?, words.next()?, words.next()?);
    let (per_call, _, name) = (words.next()?, words.next()?, words.next()?);
    let is_header = calls == "calls" && per_call.ends_with("/call") && name == "name";
    is_header.then_some((dimension, per_call))
}

fn is_graph_header(line: &str) -> bool {
    let rest = line.strip_prefix("index");
    rest.is_some_and(|rest| {
        let mut words = rest.split_ascii_whitespace().filter(|word| *word != "%");
        let is_time = words.next().is_some_and(|word| word.ends_with("time"));
        is_time && words.next() == Some("self") && words.any(|word| word == "name")
    })
}

/// Which table the lines are of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Table {
    None,
    Flat,
    Graph,
}

/// # Errors
/// [`Error::Cancelled`].
pub(super) fn parse<'a>(
    text: &'a str,
    report: &mut Report,
    progress: &Progress,
) -> Result<Tables<'a>, Error> {
    let mut parser = Parser {
        tables: Tables {
            is_complete: true,
            ..Tables::default()
        },
        table: Table::None,
        scale: 0,
        above: Vec::new(),
        primary: None,
        below: Vec::new(),
        has_graph: false,
        is_gap: false,
        legend: Legend::default(),
    };
    let whole = text.ends_with('\n');
    let mut lines = (1_u64..).zip(text.lines()).peekable();
    while let Some((number, line)) = lines.next() {
        if number.is_multiple_of(4096) {
            progress.check()?;
        }
        if lines.peek().is_none() && !whole && parser.table != Table::None {
            report.add("skipped_cut_lines", 1, || Some(format!("line {number}")));
            parser.tables.is_complete = false;
            break;
        }
        parser.line(line, &mut |kind| {
            report.add(kind, 1, || Some(format!("line {number}")));
        });
    }
    if parser.primary.is_some() || !parser.above.is_empty() {
        report.add("repaired_unfinished_entries", 1, || None);
        parser.tables.is_complete = false;
        parser.end_block(&mut |kind| report.add(kind, 1, || None));
    }
    if parser.legend.is_cut() {
        report.add("repaired_cut_legends", 1, || None);
        parser.tables.is_complete = false;
    }
    Ok(parser.tables)
}

struct Parser<'a> {
    tables: Tables<'a>,
    table: Table,
    /// Power of ten of the unit of times per call.
    scale: i32,
    above: Vec<Arc<'a>>,
    primary: Option<Primary<'a>>,
    below: Vec<Arc<'a>>,
    has_graph: bool,
    /// Whether the line before was blank: the table goes on or ends.
    is_gap: bool,
    legend: Legend,
}

impl<'a> Parser<'a> {
    fn line(&mut self, line: &'a str, count: &mut impl FnMut(&str)) {
        match self.table {
            Table::None => self.outside(line, count),
            Table::Flat if line.trim().is_empty() => self.table = Table::None,
            Table::Flat => match row(line, self.scale) {
                Some(row) => {
                    if let Some(flat) = &mut self.tables.flat {
                        flat.rows.push(row);
                    }
                }
                None => count("skipped_lines"),
            },
            Table::Graph => self.graph(line, count),
        }
    }

    fn outside(&mut self, line: &'a str, count: &mut impl FnMut(&str)) {
        self.legend.line(line);
        if let Some((dimension, per_call)) = flat_header(line) {
            self.legend.table();
            if self.tables.flat.is_some() {
                return count("skipped_further_tables");
            }
            self.table = Table::Flat;
            self.scale = scale_of(per_call);
            self.tables.flat = Some(Flat {
                dimension,
                per_call,
                rows: Vec::new(),
            });
        } else if is_graph_header(line) {
            self.legend.table();
            if self.has_graph {
                return count("skipped_further_tables");
            }
            self.has_graph = true;
            self.table = Table::Graph;
        } else if let Some(rest) = line.strip_prefix("Each sample counts as ") {
            self.tables.sample = word(rest).and_then(|(number, _)| Decimal::parse(number));
        } else if line.trim() == "no time accumulated" {
            self.tables.has_no_time = true;
        } else if let Some(rest) = line.strip_prefix("granularity: each sample hit covers ") {
            self.tables.granularity = granularity(rest).or(self.tables.granularity);
        }
    }

    fn graph(&mut self, line: &'a str, count: &mut impl FnMut(&str)) {
        if line.starts_with("----") {
            self.end_block(count);
        } else if line.trim().is_empty() {
            // The traditional layout has blank lines within the table.
            self.end_block(count);
            self.is_gap = true;
        } else {
            let was_gap = std::mem::take(&mut self.is_gap);
            match Line::parse(line) {
                Some(Line::Primary(primary)) if self.primary.is_none() => {
                    self.primary = Some(primary);
                }
                Some(Line::Arc(arc)) if self.primary.is_none() => self.above.push(arc),
                Some(Line::Arc(arc)) => self.below.push(arc),
                Some(Line::Root) => {}
                None if was_gap => {
                    self.table = Table::None;
                    self.outside(line, count);
                }
                Some(Line::Primary(_)) | None => count("skipped_lines"),
            }
        }
    }

    fn end_block(&mut self, count: &mut impl FnMut(&str)) {
        let above = std::mem::take(&mut self.above);
        let below = std::mem::take(&mut self.below);
        match self.primary.take() {
            Some(primary) => self.tables.blocks.push(Block {
                above,
                primary,
                below,
            }),
            None if above.is_empty() => {}
            None => count("skipped_entries"),
        }
    }
}

/// `%time cumulative self [calls self/call total/call] name`.
fn row(line: &str, scale: i32) -> Option<Row<'_>> {
    let (_, rest) = word(line)?;
    let (_, rest) = word(rest)?;
    let (time, rest) = word(rest)?;
    let blanks = rest.len() - rest.trim_start().len();
    let (calls, rest) = if blanks < BLANK_COLUMNS {
        let (count, rest) = word(rest)?;
        let (own, rest) = word(rest)?;
        let (total, rest) = word(rest)?;
        let calls = Calls {
            count: count.parse().ok()?,
            time: Decimal::parse(own)?.shifted(scale)?,
            total: Decimal::parse(total)?.shifted(scale)?,
        };
        (Some(calls), rest)
    } else {
        (None, rest)
    };
    let name = Name::parse(rest);
    (!name.text.is_empty()).then_some(Row {
        name,
        time: Decimal::parse(time)?,
        calls,
    })
}

/// The power of ten that the letter of `ms/call` stands for. gprof prints `Ts` where there is
/// nothing to scale by.
fn scale_of(per_call: &str) -> i32 {
    match per_call.as_bytes() {
        [b'T', ..] => 12,
        [b'G', ..] => 9,
        [b'M', ..] => 6,
        [b'K', ..] => 3,
        [b'm', b's', ..] => -3,
        [b'u', ..] => -6,
        [b'n', ..] => -9,
        [b'p', ..] => -12,
        [b'f', ..] => -15,
        [b'a', ..] => -18,
        _ => 0,
    }
}

/// `2 byte(s) for 9.08% of 0.11 seconds`, or `2 byte(s) no time propagated`.
fn granularity(text: &str) -> Option<(Decimal, Option<Decimal>)> {
    let (bytes, rest) = word(text)?;
    let total = rest.rsplit_once(" of ").and_then(|(_, total)| word(total));
    Some((
        Decimal::parse(bytes)?,
        total.and_then(|(total, _)| Decimal::parse(total)),
    ))
}
