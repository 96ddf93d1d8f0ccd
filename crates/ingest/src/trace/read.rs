//! The reader of traces: inputs to runs.

use std::borrow::Cow;

use rayon::prelude::*;
use sheaf_model::Cancelled;

use super::{Trace, format, group};
use crate::reader::{Context, Reader, Reading, Reads, Run};
use crate::{Error, Format, Input};

/// Traces of the OpenMP recorder.
pub(crate) const READER: Reader = Reader {
    format: Format::Trace,
    recognises: |start| start.starts_with(&format::MAGIC),
    reads: Reads::Folder(read),
};

fn read(inputs: &[(usize, Input<'_>)], context: Context<'_>) -> Result<Reading, Cancelled> {
    let mut reading = Reading::default();
    let mut contents: Vec<(usize, Cow<'_, [u8]>)> = Vec::with_capacity(inputs.len());
    for (position, input) in inputs {
        match input.whole(Format::Trace, context.progress) {
            Ok(bytes) => contents.push((*position, bytes)),
            Err(Error::Cancelled(cancelled)) => return Err(cancelled),
            Err(error) => reading.refused.push((*position, error)),
        }
    }
    let mut traces = Vec::with_capacity(inputs.len());
    for (position, bytes) in &contents {
        match Trace::parse(bytes) {
            Ok(trace) => traces.push((*position, trace)),
            Err(error) => reading.refused.push((*position, Error::Trace(error))),
        }
    }
    let groups = group::group(&traces);
    let runs: Vec<_> = groups
        .par_iter()
        .map(|group| {
            let positions: Vec<usize> = group.iter().map(|&at| traces[at].0).collect();
            let members: Vec<Trace<'_>> = group.iter().map(|&at| traces[at].1.clone()).collect();
            (
                positions,
                super::build(&members, context.symbols, context.progress),
            )
        })
        .collect();
    for (inputs, run) in runs {
        match run {
            Ok((tables, report)) => {
                reading.runs.push(Run {
                    format: Format::Trace,
                    inputs,
                    tables,
                    report,
                });
            }
            Err(Error::Cancelled(cancelled)) => return Err(cancelled),
            Err(error) => refuse(&mut reading, &inputs, error),
        }
    }
    Ok(reading)
}

/// All files of a run that cannot be built are refused; the first says why.
fn refuse(reading: &mut Reading, inputs: &[usize], error: Error) {
    let mut error = Some(error);
    for &input in inputs {
        reading
            .refused
            .push((input, error.take().unwrap_or(Error::NoEvents)));
    }
}
