//! The reader of traces: inputs to runs.

use rayon::prelude::*;
use sheaf_model::{Cancelled, Progress};

use super::{Trace, format, group};
use crate::reader::{Input, Reader, Reading, Run};
use crate::{Error, Format, Symbols};

/// Traces of the OpenMP recorder.
pub(crate) const READER: Reader = Reader {
    format: Format::Trace,
    recognises: |start| start.starts_with(&format::MAGIC),
    read,
};

fn read(
    inputs: &[(usize, Input<'_>)],
    symbols: &Symbols,
    progress: &Progress,
) -> Result<Reading, Cancelled> {
    let mut reading = Reading::default();
    let mut traces = Vec::with_capacity(inputs.len());
    for &(position, input) in inputs {
        match Trace::parse(input.bytes) {
            Ok(trace) => traces.push((position, trace)),
            Err(error) => reading.refused.push((position, Error::Trace(error))),
        }
    }
    let groups = group::group(&traces);
    let runs: Vec<_> = groups
        .par_iter()
        .map(|group| {
            let positions: Vec<usize> = group.iter().map(|&at| traces[at].0).collect();
            let members: Vec<Trace<'_>> = group.iter().map(|&at| traces[at].1.clone()).collect();
            (positions, super::build(&members, symbols, progress))
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
