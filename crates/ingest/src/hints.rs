//! What the user states about inputs that their files do not.

use crate::Format;

/// How grains of a Chrome trace find their parents, best first if the user states nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Parentage {
    /// `args.id` and `args.parent` where they are, else flow arrows, else none.
    #[default]
    Recorded,
    /// Nesting of slices on one thread.
    Nesting,
}

/// What the user states about an input; readers use what concerns them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Hints {
    /// Ticks per second of the clock, for formats that count ticks.
    pub clock_hz: Option<f64>,
    /// Workers, for formats that count only those that did something.
    pub workers: Option<i64>,
    /// Rule of parentage in Chrome traces.
    pub parentage: Parentage,
    /// Text of a Graphviz file with the edges of a Taskflow graph.
    pub task_graph: Option<String>,
}

impl Hints {
    /// Nothing is stated.
    pub const NONE: &'static Self = &Self {
        clock_hz: None,
        workers: None,
        parentage: Parentage::Recorded,
        task_graph: None,
    };

    /// Names of parameters whose values the reader of a format does not use, although they are given.
    pub fn unused(&self, format: Format) -> Vec<&'static str> {
        let has_ticks = matches!(format, Format::Mir | Format::DagRecorder);
        let has_workers = has_ticks || matches!(format, Format::Taskflow | Format::Chrome);
        let unused = [
            ("clock_hz", self.clock_hz.is_some() && !has_ticks),
            ("workers", self.workers.is_some() && !has_workers),
        ];
        let names = unused.into_iter().filter(|(_, is_unused)| *is_unused);
        names.map(|(name, _)| name).collect()
    }
}
