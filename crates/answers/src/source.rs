//! Lines of a source file, with values of the definitions in it.

use serde::{Deserialize, Serialize};
use sheaf_model::Scope;
use utoipa::{IntoParams, ToSchema};

use crate::Note;
use crate::choice::choice;

choice! {
    /// Whether the text of a source file is shown, else why not.
    SourceState {
        /// The text is shown.
        Shown = "shown",
        /// The recording names no file.
        Unnamed = "unnamed",
        /// The service shows no source files.
        NotServed = "not_served",
        /// No folder of the service has the file.
        NotFound = "not_found",
        /// The file is larger than the limit.
        TooLarge = "too_large",
        /// The file is not text.
        NotText = "not_text",
        /// The file cannot be read.
        Unreadable = "unreadable",
    }
}

/// Answer of `source`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Source {
    /// `source/1`
    pub schema: String,
    /// The lens that was answered, in text.
    pub lens: String,
    /// Id of the definition at level definition.
    pub group: String,
    /// Its name.
    pub name: String,
    /// Function that contains the definition; absent if the recording names none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
    /// Source file, as the recording names it; absent if the recording names none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Line of the definition, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Whether the text is shown, else why not.
    pub state: SourceState,
    /// The same in English, with what to do; absent if the text is shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Whether the file seems to be another version than the recorded one: it ends before the line of the definition, does
    /// not contain the name of its function, or was changed after the import of the newest run. `notes` states which.
    pub is_changed: bool,
    /// Path of the file below its folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Number of the first of `lines`, from 1.
    pub first_line: u32,
    /// Lines around the definition. Lines that are too long end with `…`.
    pub lines: Vec<String>,
    /// Lines of the whole file.
    pub num_lines: u64,
    /// Metric.
    pub metric: String,
    /// Label, else name, that the source shows; missing if that is `metric`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Scope of the values: always exclusive, so that values of lines add up.
    pub scope: Scope,
    /// Unit of every value.
    pub unit: String,
    /// Definitions of the file in the order of their lines.
    pub values: Vec<SourceValue>,
    /// Facts that a reader must know.
    pub notes: Vec<Note>,
}

/// A definition of the file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SourceValue {
    /// Line, from 1.
    pub line: u32,
    /// Group id at level definition.
    pub group: String,
    /// Name.
    pub name: String,
    /// Mean over runs; absent if no run has a value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// Mean share of the values of runs inside of regions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share: Option<f64>,
    /// Mean over the runs of the baseline, if the lens compares two sides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub a: Option<f64>,
    /// Mean over the runs of the candidate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub b: Option<f64>,
}

/// Query of the route of source files.
#[derive(Debug, Clone, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct SourceQuery {
    /// Text form of the lens.
    pub lens: Option<String>,
    /// Name of the store; the first when missing.
    pub store: Option<String>,
    /// Group id or unambiguous name.
    pub group: String,
    /// Lines before and after the definition; 300 when missing, at most 10,000.
    pub around: Option<usize>,
}
