//! Runs in formats of other tools.

mod chrome;

use std::fmt;
use std::io::Write;
use std::str::FromStr;

use crate::runs::RunEntry;
use crate::{Ensemble, Error, select};

/// A format that runs are exported in.
///
/// ```
/// use sheaf_ensemble::ExportFormat;
/// assert_eq!("chrome".parse(), Ok(ExportFormat::Chrome));
/// assert!("tape".parse::<ExportFormat>().is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExportFormat {
    /// Chrome trace events, as Perfetto and other viewers read them.
    Chrome,
}

impl ExportFormat {
    /// Every format.
    pub const ALL: &'static [Self] = &[Self::Chrome];

    /// The name that users type.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Chrome => "chrome",
        }
    }
}

impl fmt::Display for ExportFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for ExportFormat {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut all = Self::ALL.iter().copied();
        all.find(|format| format.as_str() == text).ok_or_else(|| {
            let known: Vec<&str> = Self::ALL.iter().map(|format| format.as_str()).collect();
            format!("no export format `{text}`; use one of {}", known.join(", "))
        })
    }
}

impl Ensemble {
    /// Writes a run in a format of other tools.
    ///
    /// # Errors
    /// When the selector names no run or several, the store cannot be read, or `out` not written.
    pub fn export(
        &self,
        selector: &str,
        format: ExportFormat,
        out: &mut dyn Write,
    ) -> Result<(), Error> {
        let entries = self.entries()?;
        let all: Vec<&RunEntry> = entries.iter().collect();
        let run = select::one(&all, selector)?.meta.clone();
        let mut tables = self
            .store
            .with_snapshot(|snapshot| snapshot.tables(run.id))?;
        tables.summary.meta = run;
        let written = match format {
            ExportFormat::Chrome => chrome::chrome(&tables, out),
        };
        written.map_err(|source| Error::Export { source })
    }
}
