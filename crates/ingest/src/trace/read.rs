//! The reader of traces: inputs to runs.

use std::borrow::Cow;
use std::collections::HashMap;

use rayon::prelude::*;
use sheaf_model::{Cancelled, ParamValue, Report, RunTables};

use super::build::{assemble, replay_events};
use super::{Trace, format, group};
use crate::reader::{Context, ReadOutcome, Reader, Reads, Run};
use crate::{Error, Format, Input};

/// Parameter that distinguishes the runs of a program that one launch started: they are no repeats.
const PROCESS: &str = "process";

/// Traces of the OpenMP recorder.
pub(crate) const READER: Reader = Reader {
    format: Format::Trace,
    recognises: |start| start.starts_with(&format::MAGIC),
    reads: Reads::Folder(read_traces),
};

fn read_traces(
    inputs: &[(usize, Input<'_>)],
    context: Context<'_>,
) -> Result<ReadOutcome, Cancelled> {
    let mut reading = ReadOutcome::default();
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
    let numbers = group::number_in_launch(&traces, &groups);
    let positions = |group: Vec<usize>| group.into_iter().map(|at| traces[at].0).collect();
    let groups: Vec<Vec<usize>> = groups.into_iter().map(positions).collect();
    drop(traces);
    let mut contents: HashMap<usize, Cow<'_, [u8]>> = contents.into_iter().collect();
    let mut take = |group: Vec<usize>| {
        let bytes: Vec<_> = group.iter().filter_map(|at| contents.remove(at)).collect();
        (group, bytes)
    };
    let groups: Vec<_> = groups.into_iter().map(&mut take).collect();
    let runs: Vec<_> = groups
        .into_par_iter()
        .map(|(positions, bytes)| (positions, build(bytes, context)))
        .collect();
    for ((inputs, run), number) in runs.into_iter().zip(numbers) {
        match run {
            Ok((mut tables, report)) => {
                if let Some(number) = number {
                    let params = &mut tables.summary.meta_mut().params;
                    params.insert(PROCESS.to_owned(), ParamValue::Number(number.into()));
                }
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

/// Builds a run from the bytes of its traces, which are given back before its tables are made.
fn build(contents: Vec<Cow<'_, [u8]>>, context: Context<'_>) -> Result<(RunTables, Report), Error> {
    let traces = contents.iter().map(|bytes| Trace::parse(bytes));
    let traces: Vec<Trace<'_>> = traces.collect::<Result<_, _>>().map_err(Error::Trace)?;
    let replayed = replay_events(&traces, context.progress)?;
    drop(traces);
    drop(contents);
    assemble(replayed, context.symbols, context.progress)
}

/// All files of a run that cannot be built are refused; the first states why.
fn refuse(reading: &mut ReadOutcome, inputs: &[usize], error: Error) {
    let mut error = Some(error);
    for &input in inputs {
        reading
            .refused
            .push((input, error.take().unwrap_or(Error::NoEvents)));
    }
}
