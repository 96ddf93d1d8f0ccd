//! Facts about source files in English.

use std::fmt;

use crate::SourceFact;

impl fmt::Display for SourceFact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LineBeyondFile { path, lines, line } => write!(
                f,
                "`{path}` has {lines} lines, and the recording names line {line}: it is another version of the file"
            ),
            Self::FunctionNotInFile { path, function } => write!(
                f,
                "`{path}` does not contain `{function}`: it may be another version of the file"
            ),
            Self::ChangedAfterImport {
                path,
                changed,
                imported,
            } => write!(
                f,
                "`{path}` was changed at {changed}, after the newest run was imported at {imported}: lines may have \
                 moved"
            ),
        }
    }
}
