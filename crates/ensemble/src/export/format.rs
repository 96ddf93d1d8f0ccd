//! Names of export formats.

use std::fmt;
use std::str::FromStr;

/// A format that runs are exported in.
///
/// ```
/// use sheaf_ensemble::ExportFormat;
/// assert_eq!("graphml".parse(), Ok(ExportFormat::GraphMl));
/// assert!("tape".parse::<ExportFormat>().is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExportFormat {
    /// The grain graph in GraphML, with the attributes of the grain-graphs prototype.
    GraphMl,
    /// The aggregation tree in GraphML, groups as folders of the yEd viewer.
    NestedGraphMl,
    /// The grain graph for Graphviz.
    Dot,
    /// A row per grain, comma-separated; of call profiles a row per value.
    Csv,
    /// The same table in a Parquet file.
    Parquet,
    /// Chrome trace events, as Perfetto and other viewers read them.
    Chrome,
}

impl ExportFormat {
    /// Every format.
    pub const ALL: &'static [Self] = &[
        Self::GraphMl,
        Self::NestedGraphMl,
        Self::Dot,
        Self::Csv,
        Self::Parquet,
        Self::Chrome,
    ];

    /// The name that users type.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::GraphMl => "graphml",
            Self::NestedGraphMl => "graphml-nested",
            Self::Dot => "dot",
            Self::Csv => "csv",
            Self::Parquet => "parquet",
            Self::Chrome => "chrome",
        }
    }

    /// Whether runs without grains cannot be written in it.
    pub const fn is_of_grains(self) -> bool {
        match self {
            Self::GraphMl | Self::NestedGraphMl | Self::Dot | Self::Chrome => true,
            Self::Csv | Self::Parquet => false,
        }
    }

    /// Whether it is a grain graph.
    pub const fn is_graph(self) -> bool {
        matches!(self, Self::GraphMl | Self::NestedGraphMl | Self::Dot)
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
            let known = known.join(", ");
            match text {
                "html" => format!("`html` is not written yet; use one of {known}"),
                _ => format!("no export format `{text}`; use one of {known}"),
            }
        })
    }
}
