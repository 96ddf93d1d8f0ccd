//! Reader of Taskflow profiles, in JSON and binary.
//!
//! A profile is a list of segments: which worker ran which task when. It holds no parents; tasks
//! are compared by name. That a task ran inside another's stack frame on its worker is no
//! parentage; it is kept as the measure `level`.

mod binary;
mod build;
mod edges;
mod graph;
mod json;

use sheaf_model::Report;

use crate::json_start::JsonStart;
use crate::reader::{Context, Read, Reader, Reads};
use crate::{Error, Format, Input};

pub(crate) const READER: Reader = Reader {
    format: Format::Taskflow,
    recognises,
    reads: Reads::File(read_taskflow),
};

const MAGIC: &[u8] = b"TFPX";

fn recognises(start: &[u8]) -> bool {
    start.starts_with(MAGIC)
        || JsonStart::of(start)
            .is_some_and(|json| json.is_array && json.has("executor") && json.has("data"))
}

/// One task on one worker, as either form has it; times in microseconds.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Segment {
    /// Number of the executor in the file.
    executor: u32,
    worker: u32,
    level: u32,
    /// Place in the list of its worker and level.
    index: u32,
    begin: i64,
    end: i64,
    /// `None` for tasks without a name.
    name: Option<String>,
    /// `static`, `subflow`, `condition`, `module`, `async`, or what later versions add.
    kind: String,
}

/// What a file holds.
#[derive(Debug, Default)]
struct Profile {
    segments: Vec<Segment>,
    /// Time of each executor's creation, where the file states it.
    origins: Vec<i64>,
    executors: u32,
    /// Whether names are cut after [`NAME_LEN`] bytes.
    cuts_names: bool,
    is_truncated: bool,
    version: Option<u16>,
    report: Report,
}

/// Bytes of a name that the binary form keeps.
const NAME_LEN: usize = 31;

fn read_taskflow(input: &Input<'_>, context: Context<'_>) -> Result<Vec<Read>, Error> {
    let bytes = input.whole(Format::Taskflow, context.progress)?;
    let profile = if bytes.starts_with(MAGIC) {
        binary::read(&bytes)?
    } else {
        json::read(&bytes)?
    };
    if profile.segments.is_empty() {
        return Err(Error::Empty {
            format: Format::Taskflow,
        });
    }
    build::build(profile, input).map(|read| vec![read])
}
