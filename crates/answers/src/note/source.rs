//! Facts about a source file.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Code of a fact about a source file that may be another version than the recorded one, with its values.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "code", content = "values", rename_all = "snake_case")]
pub enum SourceFact {
    /// The file has fewer lines than the recording names.
    LineBeyondFile {
        /// Path of the file.
        path: String,
        /// Number of its lines.
        lines: u64,
        /// The recorded line.
        line: u64,
    },
    /// The file does not contain the name of the function.
    FunctionNotInFile {
        /// Path of the file.
        path: String,
        /// The name.
        function: String,
    },
    /// The file was changed after the newest run was imported.
    ChangedAfterImport {
        /// Path of the file.
        path: String,
        /// Time of the change, as in RFC 3339.
        changed: String,
        /// Time of the import, as in RFC 3339.
        imported: String,
    },
}
