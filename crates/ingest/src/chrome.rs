//! Reader of Chrome trace events, the JSON that many runtimes write.
//!
//! Events are taken from a stream; what is kept of each is a few numbers. A slice (complete, or
//! begin and end) is an interval of a task on its thread; an asynchronous interval is a task of which
//! only begin and end are known.

mod build;
mod collect;
mod event;
mod grains;
mod number;
mod occurrence;
mod parents;
mod restore;
mod scan;
mod slices;
#[cfg(test)]
mod tests;

use crate::json_pull::JsonPull;
use crate::json_start::JsonStart;
use crate::reader::{Context, Read, Reader, Reads};
use crate::{Error, Format, Input};

pub(crate) const READER: Reader = Reader {
    format: Format::Chrome,
    recognises,
    reads: Reads::File(read_chrome),
};

fn recognises(start: &[u8]) -> bool {
    JsonStart::of(start).is_some_and(|json| {
        if json.is_array {
            json.has("ph") && (json.has("ts") || json.has("pid") || json.has("name"))
        } else {
            json.has("traceEvents")
        }
    })
}

fn read_chrome(input: &Input<'_>, context: Context<'_>) -> Result<Vec<Read>, Error> {
    let stream = input.open(context.progress)?;
    let mut trace = scan::scan(JsonPull::new(stream)?)?;
    if let Some(own) = trace.own.take() {
        if let Some(tables) = own.restore() {
            let mut report = std::mem::take(&mut trace.report);
            report.add("read_grains", tables.grains.len() as u64, || None);
            return Ok(vec![(tables, report)]);
        }
        trace.report.add("repaired_changed_export", 1, || None);
    }
    if trace.slices.is_empty() {
        return Err(Error::NoDurations {
            holds: trace.contents(),
        });
    }
    context.progress.check()?;
    build::build(trace, input).map(|read| vec![read])
}
