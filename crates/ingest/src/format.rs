//! The formats that are read.

/// A format that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Format {
    /// A trace of the OpenMP recorder.
    Trace,
    /// A task-stats table of the MIR runtime: raw, processed or merged.
    Mir,
    /// A grain graph in GraphML.
    GraphMl,
    /// A binary recording of DAG Recorder.
    DagRecorder,
    /// A Caliper stream of text records.
    Caliper,
    /// Caliper's json-split.
    CaliperJson,
    /// An HPCToolkit database of version 2 or 3.
    HpcToolkit3,
    /// An HPCToolkit database of version 4.
    HpcToolkit4,
    /// The text output of gprof.
    Gprof,
    /// A graph of gprof2dot.
    Gprof2Dot,
    /// A Hatchet literal, or a Hatchet graph frame in JSON.
    Hatchet,
    /// Statistics of cProfile.
    CProfile,
    /// A session of pyinstrument in JSON.
    PyInstrument,
    /// Profiles of TAU.
    Tau,
    /// Output of timemory in JSON.
    Timemory,
    /// A profile of Taskflow, in JSON or binary.
    Taskflow,
    /// Chrome trace events.
    Chrome,
}

impl Format {
    /// Every format.
    pub const ALL: &'static [Self] = &[
        Self::Trace,
        Self::Mir,
        Self::GraphMl,
        Self::DagRecorder,
        Self::Caliper,
        Self::CaliperJson,
        Self::HpcToolkit3,
        Self::HpcToolkit4,
        Self::Gprof,
        Self::Gprof2Dot,
        Self::Hatchet,
        Self::CProfile,
        Self::PyInstrument,
        Self::Tau,
        Self::Timemory,
        Self::Taskflow,
        Self::Chrome,
    ];

    /// The name as in [`RunMeta::format`](sheaf_model::RunMeta::format).
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Trace => "trace",
            Self::Mir => "mir",
            Self::GraphMl => "graphml",
            Self::DagRecorder => "dag-recorder",
            Self::Caliper => "caliper",
            Self::CaliperJson => "caliper-json",
            Self::HpcToolkit3 => "hpctoolkit-3",
            Self::HpcToolkit4 => "hpctoolkit-4",
            Self::Gprof => "gprof",
            Self::Gprof2Dot => "gprof2dot",
            Self::Hatchet => "hatchet",
            Self::CProfile => "cprofile",
            Self::PyInstrument => "pyinstrument",
            Self::Tau => "tau",
            Self::Timemory => "timemory",
            Self::Taskflow => "taskflow",
            Self::Chrome => "chrome",
        }
    }
}
