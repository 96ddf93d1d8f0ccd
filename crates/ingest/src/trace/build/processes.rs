//! The processes of a run: their order, ranks and common time.

use std::collections::BTreeMap;

use crate::trace::{Trace, TraceHeader, TraceProblem};

/// One process of a run.
pub(super) struct Process {
    pub(super) header: TraceHeader,
    pub(super) program: String,
    pub(super) rank: u32,
    /// Number among the processes of the rank: forked children come after their parent.
    pub(super) number: i64,
    /// Added to the recorded nanoseconds: gives nanoseconds since the first event of the run.
    pub(super) shift: i64,
    pub(super) is_complete: bool,
    pub(super) problems: Vec<TraceProblem>,
}

/// The traces in an order that does not depend on that of the files: rank, then start.
pub(super) fn in_order<'t, 'a>(traces: &'t [Trace<'a>]) -> Vec<&'t Trace<'a>> {
    let mut order: Vec<&Trace<'_>> = traces.iter().collect();
    order.sort_by_key(|trace| {
        let header = &trace.header;
        let is_child = header.forked_from.is_some();
        (
            header.rank.unwrap_or(0),
            is_child,
            header.start_wall_ns,
            header.process_id,
        )
    });
    order
}

/// Puts the processes on one clock. Processes of one host share its monotonic clock; hosts are
/// aligned by their wall clocks, as exact as these are.
pub(super) fn align(traces: &[&Trace<'_>]) -> Vec<Process> {
    let mut walls: BTreeMap<Option<&str>, i128> = BTreeMap::new();
    let mut firsts = Vec::with_capacity(traces.len());
    for trace in traces {
        let header = &trace.header;
        let wall = i128::from(header.start_wall_ns) - i128::from(header.start_ns);
        let wall = *walls.entry(header.host.as_deref()).or_insert(wall);
        firsts.push((first_time(trace).map(|time| i128::from(time) + wall), wall));
    }
    let start = firsts
        .iter()
        .filter_map(|(first, _)| *first)
        .min()
        .unwrap_or(0);
    let mut numbers: BTreeMap<u32, i64> = BTreeMap::new();
    let processes = traces.iter().zip(firsts).map(|(trace, (_, wall))| {
        let header = &trace.header;
        let rank = header
            .rank
            .filter(|_| header.rank_count.is_some_and(|count| count > 1));
        let rank = rank.unwrap_or(0);
        let number = numbers.entry(rank).or_insert(-1);
        *number += 1;
        Process {
            header: header.clone(),
            program: program_name(header),
            rank,
            number: *number,
            shift: i64::try_from(wall - start).unwrap_or(0),
            is_complete: trace.complete,
            problems: trace.problems.clone(),
        }
    });
    processes.collect()
}

/// Time of the first event of any thread.
fn first_time(trace: &Trace<'_>) -> Option<u64> {
    trace
        .threads
        .iter()
        .filter_map(|thread| Some(thread.events().next()?.time_ns))
        .min()
}

/// The program's name without folders.
fn program_name(header: &TraceHeader) -> String {
    let path = header.program().unwrap_or("program");
    // What the kernel appends when the file was replaced while the program ran.
    let path = path.strip_suffix(" (deleted)").unwrap_or(path);
    path.rsplit('/').next().unwrap_or(path).to_owned()
}
