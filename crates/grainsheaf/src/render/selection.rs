//! The columns of an answer's table that the terminal shows. Values and units are those that crate `answers` declares,
//! and so are headings unless a command needs shorter ones.

use sheaf_answers::text::{ABSENT, Scale, change, number, percent};
use sheaf_answers::{ColumnUnit, MetricValue, Tabular, Values};

use super::table::{Kind, Table, Tone};
use super::{limited, short_id};

/// Columns of a table, in the order of the terminal.
pub(crate) struct Selection<'a> {
    source: sheaf_answers::Table<'a>,
    /// The unit of columns that have that of the metric or of the run.
    unit: &'a str,
    /// Rows whose values choose the scales.
    rows: Vec<usize>,
    /// Divides values in `unit`.
    divisor: Option<Box<dyn Fn(usize) -> f64 + 'a>>,
    /// The scale of the table, if values of the columns do not choose it.
    scale: Option<Scale>,
    row_tone: Option<Box<dyn Fn(usize) -> Tone + 'a>>,
    columns: Vec<Shown<'a>>,
    spare: &'a [&'a str],
}

struct Shown<'a> {
    heading: String,
    kind: Kind,
    cells: Cells<'a>,
    /// Whether the heading names the unit.
    has_unit: bool,
    /// Whether the values of this column alone choose its scale.
    has_own_scale: bool,
    form: Form,
    tone: fn(f64) -> Tone,
}

/// How values are written.
#[derive(Clone, Copy)]
enum Form {
    /// By the rule for their unit.
    Plain,
    /// The same, and positive values have a sign.
    Signed,
    /// The first characters of an id.
    Id,
    /// By a rule of the column's own.
    Own(fn(f64) -> String),
}

/// The cell of a row.
type Made<'a> = dyn Fn(usize, &Scale) -> (String, Tone) + 'a;

enum Cells<'a> {
    /// Those of the column at this place of the table.
    Declared(usize),
    /// Made from several values of a row, some of them in the scale of the table.
    Made(Box<Made<'a>>),
}

impl<'a> Selection<'a> {
    /// No columns yet of an answer whose metric or times have this unit.
    pub(crate) fn of(answer: &'a impl Tabular, unit: &'a str) -> Self {
        Self::of_table(answer.table(), unit)
    }

    /// No columns yet of a table.
    pub(crate) fn of_table(source: sheaf_answers::Table<'a>, unit: &'a str) -> Self {
        Self {
            rows: (0..source.num_rows()).collect(),
            source,
            unit,
            divisor: None,
            scale: None,
            row_tone: None,
            columns: Vec::new(),
            spare: &[],
        }
    }

    /// Chooses rows.
    pub(crate) fn rows(mut self, rows: impl IntoIterator<Item = usize>) -> Self {
        self.rows = rows.into_iter().collect();
        self
    }

    /// Divides values in the unit of the answer by a number for each row.
    pub(crate) fn divided(mut self, by: impl Fn(usize) -> f64 + 'a) -> Self {
        self.divisor = Some(Box::new(by));
        self
    }

    /// Gives the table a scale that other values choose too.
    pub(crate) fn scaled(mut self, scale: Scale) -> Self {
        self.scale = Some(scale);
        self
    }

    /// Gives all cells of a row a tone.
    pub(crate) fn row_toned(mut self, tone: impl Fn(usize) -> Tone + 'a) -> Self {
        self.row_tone = Some(Box::new(tone));
        self
    }

    /// Headings, without units, of columns that can be left out on a narrow terminal, the least needed first.
    pub(crate) const fn spare(mut self, headings: &'a [&'a str]) -> Self {
        self.spare = headings;
        self
    }

    /// Adds a declared column of names, which may be shortened: `NAME`, or `NAME as HEADING`.
    pub(crate) fn name(self, name: &str) -> Self {
        self.columns(name).kind(Kind::Name)
    }

    /// Adds declared columns: `NAME` or `NAME as HEADING`, separated by commas. The unit follows the heading. The cell of a
    /// truth is the heading where it holds, and empty where it does not.
    pub(crate) fn columns(mut self, names: &str) -> Self {
        for name in names.split(", ") {
            self = match name.split_once(" as ") {
                Some((name, heading)) => self.column(name).headed(heading),
                None => self.column(name),
            };
        }
        self
    }

    /// Adds the declared column of this name.
    pub(crate) fn column(self, name: &str) -> Self {
        let mut columns = self.source.columns().iter();
        let found = columns.position(|column| column.name == name);
        debug_assert!(found.is_some(), "no column `{name}` is declared");
        let Some(place) = found else { return self };
        let column = &self.source.columns()[place];
        let mut heading = name;
        if let ColumnUnit::Named(unit) = column.unit {
            let stem = name.strip_suffix(unit);
            heading = stem.and_then(|it| it.strip_suffix('_')).unwrap_or(name);
        }
        let kind = match column.values {
            Values::Text(_) | Values::Truth(_) | Values::Parameter(_) => Kind::Word,
            _ => Kind::Number,
        };
        let heading = match column.values {
            // Users ask for metrics by their names.
            Values::Metric(_) => heading.to_owned(),
            _ => heading.replace('_', " "),
        };
        self.push(&heading, kind, Cells::Declared(place))
    }

    /// Adds a column of names that are made of several values.
    pub(crate) fn made_name(self, heading: &str, cell: impl Fn(usize) -> String + 'a) -> Self {
        self.made(heading, Kind::Name, move |row, _| cell(row))
    }

    /// Adds a column of words with a tone.
    pub(crate) fn verdict<T: Into<String>>(
        self,
        heading: &str,
        cell: impl Fn(usize) -> (T, Tone) + 'a,
    ) -> Self {
        let cells = move |row, _: &Scale| {
            let (text, tone) = cell(row);
            (text.into(), tone)
        };
        self.push(heading, Kind::Word, Cells::Made(Box::new(cells)))
    }

    /// Adds a column that is made of several values, with the scale of the table.
    pub(crate) fn made(
        self,
        heading: &str,
        kind: Kind,
        cell: impl Fn(usize, &Scale) -> String + 'a,
    ) -> Self {
        let cells = move |row, scale: &Scale| (cell(row, scale), Tone::Plain);
        self.push(heading, kind, Cells::Made(Box::new(cells)))
    }

    fn push(mut self, heading: &str, kind: Kind, cells: Cells<'a>) -> Self {
        self.columns.push(Shown {
            heading: heading.to_owned(),
            has_unit: matches!(cells, Cells::Declared(_)),
            kind,
            cells,
            has_own_scale: false,
            form: Form::Plain,
            tone: |_| Tone::Plain,
        });
        self
    }

    fn newest(mut self, change: impl FnOnce(&mut Shown<'a>)) -> Self {
        if let Some(column) = self.columns.last_mut() {
            change(column);
        }
        self
    }

    /// Gives the newest column another heading than its name. A term, such as `+ idle`, has the unit of its sum, so
    /// that the heading does not name it.
    pub(crate) fn headed(self, heading: &str) -> Self {
        self.newest(|column| {
            heading.clone_into(&mut column.heading);
            column.has_unit &= !heading.starts_with(['=', '+']);
        })
    }

    /// Sets the newest column in another way than its type.
    pub(crate) fn kind(self, kind: Kind) -> Self {
        self.newest(|column| column.kind = kind)
    }

    /// Names the unit of the table in the heading of the newest column.
    pub(crate) fn with_unit(self) -> Self {
        self.newest(|column| column.has_unit = true)
    }

    /// Shows a sign of positive values in the newest column too.
    pub(crate) fn signed(self) -> Self {
        self.newest(|column| column.form = Form::Signed)
    }

    /// Adds a declared column of ids of runs: `NAME`, or `NAME as HEADING`.
    pub(crate) fn id(self, name: &str) -> Self {
        self.columns(name).newest(|column| column.form = Form::Id)
    }

    /// Writes the values of the newest column in this way.
    pub(crate) fn written(self, write: fn(f64) -> String) -> Self {
        self.newest(|column| column.form = Form::Own(write))
    }

    /// Chooses the scale of the newest column by its values alone.
    pub(crate) fn own_scale(self) -> Self {
        self.newest(|column| column.has_own_scale = true)
    }

    /// Chooses the tone of the newest column by its values.
    pub(crate) fn toned(self, tone: fn(f64) -> Tone) -> Self {
        self.newest(|column| column.tone = tone)
    }

    /// Removes the newest column unless it is wanted.
    pub(crate) fn when(mut self, is_wanted: bool) -> Self {
        if !is_wanted {
            self.columns.pop();
        }
        self
    }

    /// Removes the newest column if no row has a value; a number of things that is 0 is none.
    pub(crate) fn if_any(self) -> Self {
        let Some(Cells::Declared(place)) = self.columns.last().map(|column| &column.cells) else {
            return self;
        };
        let is_count = matches!(self.source.columns()[*place].values, Values::Count(_));
        let is_wanted = self.values(*place).any(|value| !is_count || value != 0.0);
        self.when(is_wanted)
    }

    fn values(&self, place: usize) -> impl Iterator<Item = f64> {
        let rows = self.rows.iter();
        rows.filter_map(move |&row| self.value(place, row))
    }

    /// A value of a declared column as a number.
    fn value(&self, place: usize, row: usize) -> Option<f64> {
        let value = match &self.source.columns()[place].values {
            Values::Number(of) => of(row),
            Values::Integer(of) => of(row).map(|value| value as f64),
            Values::Count(of) => of(row).map(|value| value as f64),
            Values::Metric(of) => of(row).map(MetricValue::as_f64),
            Values::Truth(of) => of(row).map(|value| f64::from(u8::from(value))),
            Values::Text(_) | Values::Parameter(_) => None,
        };
        let divisor = self.divisor.as_ref().filter(|_| self.is_in_unit(place));
        value.map(|value| divisor.map_or(value, |divisor| value / divisor(row)))
    }

    /// Whether a declared column has the unit of the answer.
    fn is_in_unit(&self, place: usize) -> bool {
        let unit = self.source.columns()[place].unit;
        matches!(unit, ColumnUnit::OfMetric | ColumnUnit::OfRun)
    }

    /// The scale of all columns in the unit of the answer that have none of their own.
    fn table_scale(&self) -> Scale {
        if let Some(scale) = &self.scale {
            return scale.clone();
        }
        let mut values = Vec::new();
        for column in &self.columns {
            if let Cells::Declared(place) = column.cells
                && !column.has_own_scale
                && self.is_in_unit(place)
            {
                values.extend(self.values(place));
            }
        }
        Scale::of(self.unit, values.into_iter())
    }

    /// The scale of a column; absent if its values have no unit.
    fn scale_of(&self, column: &Shown<'_>, of_table: &Scale) -> Option<Scale> {
        let Cells::Declared(place) = column.cells else {
            return Some(of_table.clone());
        };
        let unit = match self.source.columns()[place].unit {
            _ if self.is_in_unit(place) && !column.has_own_scale => return Some(of_table.clone()),
            ColumnUnit::OfMetric | ColumnUnit::OfRun => self.unit,
            ColumnUnit::Named(unit) => unit,
            _ => return None,
        };
        Some(Scale::of(unit, self.values(place)))
    }

    fn cell(&self, column: &Shown<'_>, scale: Option<&Scale>, row: usize) -> (String, Tone) {
        let place = match &column.cells {
            Cells::Declared(place) => *place,
            Cells::Made(cell) => {
                return scale.map_or_else(Default::default, |scale| cell(row, scale));
            }
        };
        let declared = &self.source.columns()[place];
        let mut shown = ABSENT.to_owned();
        match &declared.values {
            Values::Text(of) => of(row, &mut |text| match text {
                Some(id) if matches!(column.form, Form::Id) => shown = short_id(id),
                Some(text) if column.kind == Kind::Word => shown = text.replace('_', " "),
                Some(text) => text.clone_into(&mut shown),
                None => {}
            }),
            Values::Parameter(of) => shown = of(row).map_or(shown, |value| value.shown()),
            Values::Truth(of) => match of(row) {
                Some(true) => return (column.heading.clone(), (column.tone)(1.0)),
                Some(false) => shown.clear(),
                None => {}
            },
            values => {
                let Some(value) = self.value(place, row) else {
                    return (shown, Tone::Plain);
                };
                if let Form::Own(write) = column.form {
                    return (write(value), (column.tone)(value));
                }
                let is_whole = matches!(values, Values::Integer(_) | Values::Count(_))
                    || (declared.unit == ColumnUnit::OfParameter && value.fract() == 0.0);
                let is_signed = matches!(column.form, Form::Signed);
                shown = match (declared.unit, scale) {
                    (_, Some(scale)) if is_signed => scale.show_signed(value),
                    (_, Some(scale)) => scale.show(value),
                    (ColumnUnit::Share, None) if is_signed => change(value),
                    (ColumnUnit::Share, None) => percent(value),
                    _ if is_whole => Scale::of("count", std::iter::empty()).show(value),
                    _ => number(value),
                };
                return (shown, (column.tone)(value));
            }
        }
        (shown, Tone::Plain)
    }

    /// The table of at most `limit` rows, 0 for all.
    pub(crate) fn first(self, limit: usize) -> Table {
        let shown = limited(self.rows.len(), limit);
        let shown: Vec<usize> = self.rows.iter().copied().take(shown).collect();
        self.table(shown)
    }

    /// The table of some of the rows, in scales that fit all of them.
    pub(crate) fn table(self, shown: impl IntoIterator<Item = usize>) -> Table {
        let of_table = self.table_scale();
        let scales = self.columns.iter();
        let scales: Vec<_> = scales.map(|it| self.scale_of(it, &of_table)).collect();
        let mut table = Table::default();
        let mut headers = Vec::new();
        for (column, scale) in self.columns.iter().zip(&scales) {
            let scale = scale.as_ref().filter(|_| column.has_unit);
            let header = scale.map(|scale| scale.header(&column.heading));
            let header = header.unwrap_or_else(|| column.heading.clone());
            headers.push(header.clone());
            table = table.column(header, column.kind);
        }
        for heading in self.spare {
            let mut columns = self.columns.iter();
            if let Some(place) = columns.position(|column| column.heading == *heading) {
                table = table.spare([headers[place].clone()]);
            }
        }
        for row in shown {
            let columns = self.columns.iter().zip(&scales);
            let tone = self.row_tone.as_ref().map(|tone| tone(row));
            table.toned_row(columns.map(|(column, scale)| {
                let (text, own) = self.cell(column, scale.as_ref(), row);
                (text, tone.unwrap_or(own))
            }));
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use super::super::table::Layout;
    use super::*;

    type Row = (&'static str, Option<f64>, u64);

    sheaf_answers::columns! {
        fn columns(row: Row) {
            Text run: "Run" = Some("0123456789abcdef".into());
            Text kind: "Kind" = Some(row.0.into());
            Number work [ColumnUnit::OfRun]: "Work" = row.1;
            Number share [ColumnUnit::Share]: "Share" = Some(0.5);
            Count size_bytes [ColumnUnit::Named("bytes")]: "Size" = Some(row.2);
            Count faults: "Faults" = Some(0);
            Truth is_long: "Whether it is long" = row.1.map(|work| work > 1e6);
        }
    }

    fn select(rows: &[Row]) -> Selection<'_> {
        Selection::of_table(sheaf_answers::Table::new(rows, columns()), "ns")
    }

    #[test]
    fn headings_units_and_values_are_those_of_the_declaration() {
        let rows = [
            ("fork_join", Some(2e6), 4_000),
            ("linear", Some(1e6), 40),
            ("grain", None, 500),
        ];
        let table = select(&rows)
            .id("run as of")
            .columns("kind, work, share as part")
            .written(|share| format!("1/{}", 1.0 / share))
            .columns("size_bytes, is_long as long, faults")
            .if_any()
            .made("half", Kind::Number, |row, scale| {
                scale.show_option(rows[row].1.map(|work| work / 2.0))
            })
            .with_unit();
        let expected = "\
of        kind       work (ms)  part  size (kB)  long  half (ms)
01234567  fork join       2.00   1/2       4.00  long       1.00
01234567  linear          1.00   1/2     0.0400            0.500
01234567  grain              –   1/2      0.500  –             –
";
        assert_eq!(table.first(0).render(Layout::default(), ""), expected);
    }

    #[test]
    fn terms_have_the_unit_of_their_sum_and_rows_a_divisor() {
        let rows = [("a", Some(8e3), 4), ("b", Some(1e3), 0)];
        let table = select(&rows)
            .divided(|row| [4.0, 1.0][row])
            .columns("work, work as = ideal, faults")
            .spare(&["faults"])
            .first(1);
        let expected = "work (µs)  = ideal  faults\n     2.00     2.00       0\n";
        assert_eq!(table.render(Layout::default(), ""), expected);
    }

    #[test]
    #[should_panic(expected = "no column `wrok` is declared")]
    fn columns_that_are_not_declared_are_a_mistake() {
        let _ = select(&[]).columns("wrok");
    }
}
