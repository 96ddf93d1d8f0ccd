//! The text as a whole: an array of events, or an object that holds one.

use std::io::Read;

use super::collect::Trace;
use super::event::Event;
use crate::Error;
use crate::json_pull::{JsonFault, JsonPull};

/// Bytes of what a trace states about itself.
const ABOUT_LIMIT: usize = 1 << 20;

/// Bytes of the tables in an export of ours.
const TABLES_LIMIT: usize = 256 << 20;

/// Takes every event there is. A text that ends early is read up to there.
pub(super) fn scan<R: Read>(mut json: JsonPull<R>) -> Result<Trace, Error> {
    let mut trace = Trace::default();
    let start = json.token();
    let is_array = matches!(start, Ok(b'['));
    let result = match start {
        Ok(_) if is_array => events(&mut json, &mut trace),
        Ok(_) => object(&mut json, &mut trace),
        Err(fault) => Err(fault),
    };
    let at = json.offset();
    let place = || Some(format!("byte {at}"));
    match result {
        Ok(()) => skip_rest(&mut json, &mut trace)?,
        // Writers of arrays leave the bracket out, so that a program that crashes leaves a whole trace.
        Err(JsonFault::End) if is_array && trace.is_cut_between => {
            trace.report.add("repaired_missing_bracket", 1, place);
        }
        Err(JsonFault::End) => {
            trace.report.add("repaired_truncated_tail", 1, place);
            trace.is_truncated = true;
        }
        Err(JsonFault::Syntax) => {
            trace.is_truncated = true;
            skip_rest(&mut json, &mut trace)?;
        }
        Err(JsonFault::Input(error)) => return Err(error),
    }
    let (count, first) = trace.names.repaired();
    trace.report.add("repaired_texts", count, || first);
    Ok(trace)
}

/// Counts what comes after the end of the trace.
fn skip_rest<R: Read>(json: &mut JsonPull<R>, trace: &mut Trace) -> Result<(), Error> {
    let mut first = None;
    loop {
        match json.token() {
            Ok(_) => {
                first.get_or_insert(json.offset());
                // No such pair: goes to the end.
                match json.find(0, 0) {
                    Err(JsonFault::Input(error)) => return Err(error),
                    Err(_) => break,
                    Ok(()) => json.take(),
                }
            }
            Err(JsonFault::Input(error)) => return Err(error),
            Err(_) => break,
        }
    }
    if let Some(first) = first {
        let left = json.offset() - first;
        let place = || Some(format!("byte {first}"));
        trace.report.add("skipped_bytes", left, place);
        trace.is_truncated = true;
    }
    Ok(())
}

fn object<R: Read>(json: &mut JsonPull<R>, trace: &mut Trace) -> Result<(), JsonFault> {
    json.require(b'{')?;
    let (mut key, mut raw) = (Vec::new(), Vec::new());
    while json.has_member(b'}')? {
        json.key(&mut key)?;
        match key.as_slice() {
            b"traceEvents" if json.token()? == b'[' => events(json, trace)?,
            b"otherData" | b"metadata" => {
                let at = json.offset();
                if json.raw(&mut raw, ABOUT_LIMIT)? {
                    trace.about(&raw);
                } else {
                    let place = || Some(format!("byte {at}"));
                    trace.report.add("skipped_metadata", 1, place);
                }
            }
            b"grainsheaf" if trace.own.is_some() => {
                let is_there = json.raw(&mut raw, TABLES_LIMIT)?;
                if let Some(own) = trace.own.as_mut().filter(|_| is_there) {
                    own.tables = std::mem::take(&mut raw);
                }
            }
            _ => json.skip()?,
        }
    }
    Ok(())
}

/// The elements of an array. One that is broken is left out, and those inside it that look like
/// events are events.
fn events<R: Read>(json: &mut JsonPull<R>, trace: &mut Trace) -> Result<(), JsonFault> {
    json.require(b'[')?;
    let mut event = Event::default();
    loop {
        trace.is_cut_between = true;
        let has_member = json.has_member(b']')?;
        trace.is_cut_between = false;
        if !has_member {
            return Ok(());
        }
        let at = json.offset();
        let is_own = trace.own.is_some();
        match event.read(json, &mut trace.names, is_own) {
            Ok(()) => trace.add(&event, at),
            Err(JsonFault::Syntax) => {
                let place = || Some(format!("byte {at}"));
                trace.report.add("skipped_broken_events", 1, place);
                json.find(b'{', b'"')?;
            }
            Err(fault) => return Err(fault),
        }
    }
}
