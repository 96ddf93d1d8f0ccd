//! Everything in a json-split file but its rows.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, de};
use sheaf_model::ParamValue;

use super::split::{ColumnMetadata, SplitNode};
use crate::globals::Params;

/// The members that a file must have.
const MEMBERS: [&str; 4] = ["data", "columns", "column_metadata", "nodes"];

/// All of them.
pub(super) const READ_ALL: [bool; 4] = [true; 4];

/// What rows need to be understood.
#[derive(Debug, Default)]
pub(super) struct Header<'a> {
    pub(super) columns: Vec<Cow<'a, str>>,
    pub(super) metadata: Vec<ColumnMetadata<'a>>,
    pub(super) nodes: Vec<SplitNode<'a>>,
    pub(super) params: Params,
    /// Members that are neither text nor number nor truth value.
    pub(super) skipped_params: u64,
    /// Which members were read to their end.
    pub(super) parts: [bool; 4],
}

impl Header<'_> {
    pub(super) fn missing(&self) -> Vec<&'static str> {
        let members = MEMBERS.iter().zip(self.parts);
        members
            .filter(|(_, is_read)| !is_read)
            .map(|(member, _)| *member)
            .collect()
    }
}

/// Reads what there is into `header`, also when the text ends too early.
pub(super) fn read<'a>(text: &'a str, header: &mut Header<'a>) -> Result<(), serde_json::Error> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    deserializer.deserialize_map(Members(header))?;
    deserializer.end()
}

struct Members<'h, 'a>(&'h mut Header<'a>);

impl<'a> Visitor<'a> for Members<'_, 'a> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with columns, nodes and data")
    }

    fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<(), A::Error> {
        let header = self.0;
        while let Some(key) = map.next_key::<Text<'a>>()? {
            let member = MEMBERS.iter().position(|member| key.0 == *member);
            match member {
                Some(0) => {
                    map.next_value::<IgnoredAny>()?;
                }
                Some(1) => {
                    let columns: Vec<Text<'a>> = map.next_value()?;
                    header.columns = columns.into_iter().map(|text| text.0).collect();
                }
                Some(2) => header.metadata = map.next_value()?,
                Some(3) => header.nodes = map.next_value()?,
                _ => match map.next_value::<Param>()?.0 {
                    Some(value) => {
                        header.params.insert(key.0.into_owned(), value);
                    }
                    None => header.skipped_params += 1,
                },
            }
            if let Some(part) = member.and_then(|member| header.parts.get_mut(member)) {
                *part = true;
            }
        }
        Ok(())
    }
}

/// A text, borrowed where it has no escapes.
#[derive(Deserialize)]
pub(super) struct Text<'a>(#[serde(borrow)] pub(super) Cow<'a, str>);

/// A parameter of the run, if it is a single value.
struct Param(Option<ParamValue>);

impl<'de> Deserialize<'de> for Param {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ParamVisitor).map(Self)
    }
}

struct ParamVisitor;

impl<'de> Visitor<'de> for ParamVisitor {
    type Value = Option<ParamValue>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Some(ParamValue::infer(text)))
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Self::Value, E> {
        Ok(Some(ParamValue::Boolean(value)))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Self::Value, E> {
        Ok(Some(ParamValue::Number(value as f64)))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Self::Value, E> {
        Ok(Some(ParamValue::Number(value as f64)))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Self::Value, E> {
        Ok(value.is_finite().then_some(ParamValue::Number(value)))
    }

    fn visit_unit<E: de::Error>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(None)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(None)
    }
}

/// Reads the rows of a file, cell by cell.
pub(super) trait RowSink {
    /// A cell of the present row.
    fn cell(&mut self, cell: Cell);
    /// The present row is at its end.
    fn end(&mut self);
}

/// One cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Cell {
    Null,
    Integer(i64),
    Float(f64),
    /// Neither a number nor null.
    Other,
}

/// Gives the rows in `text` to `sink`.
pub(super) fn read_rows(text: &str, sink: &mut dyn RowSink) -> Result<(), serde_json::Error> {
    serde_json::Deserializer::from_str(text).deserialize_map(Data(sink))
}

struct Data<'s>(&'s mut dyn RowSink);
struct Table<'s>(&'s mut dyn RowSink);
struct Row<'s>(&'s mut dyn RowSink);

impl<'de> Visitor<'de> for Data<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with data")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<Text<'de>>()? {
            if key.0 == "data" {
                map.next_value_seed(Table(&mut *self.0))?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}

impl<'de> de::DeserializeSeed<'de> for Table<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Table<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of rows")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut rows: A) -> Result<(), A::Error> {
        while rows.next_element_seed(Row(&mut *self.0))?.is_some() {
            self.0.end();
        }
        Ok(())
    }
}

impl<'de> de::DeserializeSeed<'de> for Row<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Row<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a row of cells")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut cells: A) -> Result<(), A::Error> {
        while let Some(cell) = cells.next_element::<Cell>()? {
            self.0.cell(cell);
        }
        Ok(())
    }
}

impl<'de> Deserialize<'de> for Cell {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(CellVisitor)
    }
}

struct CellVisitor;

impl<'de> Visitor<'de> for CellVisitor {
    type Value = Cell;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a cell")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Cell, E> {
        Ok(Cell::Null)
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Cell, E> {
        Ok(Cell::Integer(value))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Cell, E> {
        Ok(i64::try_from(value).map_or(Cell::Other, Cell::Integer))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Cell, E> {
        Ok(Cell::Float(value))
    }

    fn visit_bool<E: de::Error>(self, _: bool) -> Result<Cell, E> {
        Ok(Cell::Other)
    }

    fn visit_str<E: de::Error>(self, _: &str) -> Result<Cell, E> {
        Ok(Cell::Other)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Cell, A::Error> {
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Cell::Other)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Cell, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Cell::Other)
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;

    struct Printed(String);

    impl RowSink for Printed {
        fn cell(&mut self, cell: Cell) {
            write!(self.0, "{cell:?} ").unwrap();
        }
        fn end(&mut self) {
            self.0.push('\n');
        }
    }

    #[test]
    fn rows_are_read_whatever_their_cells() {
        let mut printed = Printed(String::new());
        let deep = format!("{}{}", "[".repeat(1_000_000), "]".repeat(1_000_000));
        let text = format!(
            r#"{{"x": {deep}, "data": [[1, -2.5, null, "a", {{"b": {deep}}}], []], "y": 1}}"#
        );
        read_rows(&text, &mut printed).unwrap();
        assert_eq!(printed.0, "Integer(1) Float(-2.5) Null Other Other \n\n");
    }

    #[test]
    fn what_stands_before_a_cut_is_kept() {
        let text = r#"{"data": [[1]], "columns": ["a"], "column_metadata": [{"is_value": true}],
            "nodes": [{"label": "m", "column": "path"}], "jobsize": "8", "list": [1], "x": "y"#;
        let mut header = Header::default();
        let error = read(text, &mut header).unwrap_err();
        assert!(error.is_eof());
        assert_eq!((header.parts, header.skipped_params), (READ_ALL, 1));
        assert_eq!(header.params["jobsize"], ParamValue::Number(8.0));
        let mut cut = Header::default();
        assert!(read(&text[..30], &mut cut).is_err());
        assert_eq!(cut.missing(), ["columns", "column_metadata", "nodes"]);
    }
}
