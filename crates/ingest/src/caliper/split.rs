//! Caliper's json-split: rows of cells, some of which point into a list of nodes.
//!
//! The rows stand before the columns that explain them, so the text is read twice: first all but
//! the rows, then the rows. Neither reading keeps rows.

use std::borrow::Cow;

use serde::Deserialize;
use sheaf_model::Report;

use super::rows::Rows;
use super::split_header::{self, Header, READ_ALL};
use crate::globals;
use crate::json_start::JsonStart;
use crate::reader::{Context, Read, Reader, Reads};
use crate::{Error, Format, Input, lossy};

pub(crate) const READER: Reader = Reader {
    format: Format::CaliperJson,
    recognises,
    reads: Reads::File(read_caliper_json),
};

/// A column with an index of nodes or a value.
#[derive(Debug, Default, Deserialize)]
pub(super) struct ColumnMetadata<'a> {
    #[serde(default)]
    pub(super) is_value: bool,
    #[serde(default, borrow, rename = "attribute.alias")]
    pub(super) alias: Option<Cow<'a, str>>,
    #[serde(default, borrow, rename = "attribute.unit")]
    pub(super) unit: Option<Cow<'a, str>>,
}

/// A node of any column's hierarchy.
#[derive(Debug, Deserialize)]
pub(super) struct SplitNode<'a> {
    #[serde(borrow)]
    pub(super) label: Cow<'a, str>,
    #[serde(default, borrow)]
    pub(super) column: Option<Cow<'a, str>>,
    #[serde(default)]
    pub(super) parent: Option<u32>,
}

/// The columns come after the rows, which may be more than is looked at here.
fn recognises(start: &[u8]) -> bool {
    let Some(found) = JsonStart::of(start).filter(|found| !found.is_array) else {
        return false;
    };
    let has_columns = found.has("columns") && found.has("column_metadata");
    let is_data = || {
        let mut text = start.iter().filter(|byte| !byte.is_ascii_whitespace());
        let begin = br#"{"data":[["#;
        begin.iter().all(|byte| text.next() == Some(byte))
    };
    found.has("data") && (has_columns || (found.keys.len() == 1 && is_data()))
}

fn malformed(error: &serde_json::Error) -> Error {
    let text = error.to_string();
    let reason = text.split(" at line ").next().unwrap_or(&text).to_owned();
    let at = format!("line {}, column {}", error.line(), error.column());
    Error::malformed(Format::CaliperJson, at, reason)
}

fn read_caliper_json(input: &Input<'_>, context: Context<'_>) -> Result<Vec<Read>, Error> {
    let bytes = input.whole(Format::CaliperJson, context.progress)?;
    let mut report = Report::default();
    let text = lossy::decode_json(&bytes);
    let is_repaired = matches!(text, Cow::Owned(_));
    report.add("repaired_texts", u64::from(is_repaired), || None);
    let mut header = Header::default();
    let is_cut = match split_header::read(&text, &mut header) {
        Ok(()) => false,
        // Only parameters of the run can be missing.
        Err(error) if error.is_eof() && header.parts == READ_ALL => {
            let at = || Some(format!("line {}", error.line()));
            report.add("repaired_unfinished_files", 1, at);
            true
        }
        Err(error) => return Err(malformed(&error)),
    };
    if header.parts != READ_ALL {
        let missing = header.missing().join("`, `");
        let reason = format!("the object has no member `{missing}`");
        return Err(Error::malformed(Format::CaliperJson, "the end", reason));
    }
    let params = std::mem::take(&mut header.params);
    let skipped = header.skipped_params;
    report.add("skipped_parameters", skipped, || None);
    let mut meta = globals::meta(params, input.file_name(), Format::CaliperJson);
    meta.is_complete = !is_cut;
    let mut rows = Rows::new(meta, &header, report);
    if let Err(error) = rows.read(&text) {
        // A file that is cut ends after its rows: the first reading came so far.
        if !(is_cut && error.is_eof()) {
            return Err(malformed(&error));
        }
    }
    Ok(rows.finish(&header)?.into_iter().collect())
}
