//! From the traces of one run to its tables.
//!
//! 1. [`replay`]: the events of each process in order of time; leaves grains, fragments, waits.
//! 2. [`prepare`]: orphans get a parent, taskloops and static loops their ranges.
//! 3. [`sites`], [`definitions`], [`contexts`]: code addresses become constructs, paths of
//!    constructs become contexts.
//! 4. [`paths`]: schedule-independent keys. [`dependences`]: edges from depend clauses.
//! 5. [`messages`]: which calls of MPI wait for which.
//! 6. [`tables`], [`values`], [`totals`], [`meta`]: rows, sums and metadata.
//!
//! All steps are linear in the number of events but for sorting, and none is recursive.

mod by_row;
mod contexts;
mod definitions;
mod dependences;
mod fragment_list;
mod helpers;
mod machine;
mod merge;
mod messages;
mod meta;
mod numbering;
mod paths;
mod pauses;
mod prepare;
mod processes;
mod records;
mod replay;
mod sections;
mod sites;
mod tables;
mod tally;
#[cfg(test)]
mod tests;
mod totals;
mod values;

use std::sync::Arc;

use sheaf_model::table::Locations;
use sheaf_model::{Progress, Report, RunId, RunMeta, RunSummary, RunTables};

pub use self::meta::is_noted_variable;

use self::definitions::DefinitionTable;
use self::paths::ProcessStep;
use self::processes::Process;
use self::records::Records;
use self::replay::ProcessEvents;
use self::sites::{Site, Sites};
use self::tally::Tally;
use self::values::{Measure, Rows, Sums};
use crate::run_tables::{GrainRows, MetricRows};
use crate::{Error, Symbols};

use super::error::cause_of_stop;
use super::{CounterState, Trace, TraceHeader, TraceProblem};

/// The events of a run's traces, replayed: the traces themselves are not needed any more.
pub(crate) struct Replayed {
    processes: Vec<Process>,
    records: Records,
    sites: Sites,
    tally: Tally,
}

/// Builds the tables of a run from the traces of its processes.
///
/// Ranks of an MPI launch are ranks of the run; a forked child is a further process of its
/// parent's rank. The order of `traces` does not matter. Damaged traces give the tables of what
/// is intact, with everything skipped or repaired in the report; tasks whose end is missing end
/// with their thread and are flagged.
///
/// # Errors
/// [`Error::NoEvents`] or [`Error::StoppedEarly`] when no trace holds any event, [`Error::Cancelled`], and
/// [`Error::Invalid`] when the tables break their schema, which is a fault of this crate.
pub fn build(
    traces: &[Trace<'_>],
    symbols: &Symbols,
    progress: &Progress,
) -> Result<(RunTables, Report), Error> {
    assemble(replay_events(traces, progress)?, symbols, progress)
}

/// Why traces hold no event.
fn without_events(processes: &[Process]) -> Error {
    let mut problems = processes.iter().flat_map(|process| &process.problems);
    let cause = problems.find_map(|problem| match problem {
        // A header without sense states no error that systems know.
        TraceProblem::Stopped {
            errno: errno @ 1..4096,
            ..
        } => Some(cause_of_stop(*errno)),
        _ => None,
    });
    cause.map_or(Error::NoEvents, |cause| Error::StoppedEarly { cause })
}

/// Replays the traces of a run, the first half of [`build`].
///
/// # Errors
/// As for [`build`].
pub(crate) fn replay_events(traces: &[Trace<'_>], progress: &Progress) -> Result<Replayed, Error> {
    let ordered = processes::in_order(traces);
    let mut processes = processes::align(&ordered);
    let mut records = Records::default();
    let mut sites = Sites::default();
    let mut tally = Tally::default();
    for (number, trace) in (0..).zip(&ordered) {
        let process = &mut processes[number as usize];
        records.messages.start_process(process);
        let events = ProcessEvents {
            process: number,
            first_thread: trace.header.first_thread,
            shift: process.shift,
            threads: trace
                .threads
                .iter()
                .map(super::ThreadStream::events)
                .collect(),
        };
        let check = |events| {
            progress.report("read events", events, None);
            progress.check()
        };
        let damage = replay::replay(events, &mut records, &mut sites, &mut tally, check)?;
        process.is_complete &= damage.is_empty();
        process.problems.extend(damage);
    }
    if tally.events == 0 {
        return Err(without_events(&processes));
    }
    Ok(Replayed {
        processes,
        records,
        sites,
        tally,
    })
}

/// Builds the tables from replayed events, the second half of [`build`].
///
/// # Errors
/// As for [`build`].
pub(crate) fn assemble(
    replayed: Replayed,
    symbols: &Symbols,
    progress: &Progress,
) -> Result<(RunTables, Report), Error> {
    let Replayed {
        processes,
        mut records,
        sites,
        mut tally,
    } = replayed;
    let processes = &processes[..];
    let mut report = Report::default();
    report.add("read_traces", processes.len() as u64, || None);
    progress.check()?;
    prepare::prepare(&mut records, count(processes), &mut tally);
    let headers: Vec<&TraceHeader> = processes.iter().map(|process| &process.header).collect();
    let sites = sites.resolve(&headers, symbols, &mut report);
    helpers::fold(&mut records, &sites, &mut tally);
    sections::recognise(&mut records, &sites);
    progress.check()?;
    let mut tables = make_tables(processes, &mut records, &sites, &mut tally, progress)?;
    drop(records);
    progress.check()?;
    let (validity, id) = rayon::join(|| tables.validate(), || tables.content_id());
    validity?;
    name_run(&mut tables, id);
    report_problems(processes, &mut report);
    report.add("read_grains", tables.grains.len() as u64, || None);
    report.add("read_fragments", tables.fragments.len() as u64, || None);
    tally.report(&mut report);
    Ok((tables, report))
}

fn make_tables(
    processes: &[Process],
    records: &mut Records,
    sites: &[Site],
    tally: &mut Tally,
    progress: &Progress,
) -> Result<RunTables, Error> {
    let mut definitions = DefinitionTable::new(sites);
    let placement = contexts::place(records, &names_of(processes), &mut definitions, tally);
    tally.unlocated_sites += sites.iter().filter(|site| site.is_in_runtime).count() as u64;
    let definitions = definitions.finish();
    let contexts = placement.tree.finish(&definitions);
    progress.check()?;
    let edges = dependences::edges(records, tally);
    progress.check()?;

    let (locations, location_rows) = locations_of(processes, records);
    let order = tables::grain_rows(records, &placement, &contexts);
    let metrics = metric_rows(processes, records);
    let rows = Rows {
        contexts: &contexts.rows,
        locations: &location_rows,
        metrics: &metrics,
    };
    let meta = run_meta(processes, sites, records, &order);
    check_fragments(records);
    let fragments = std::mem::take(&mut records.fragments);
    let no_sums = || Sums::new(locations.len(), &rows);
    let ((sums, fragments), (keys, totals, other_sums)) = rayon::join(
        || {
            let mut sums = no_sums();
            let table = tables::fragments(fragments, &order, &location_rows, |fragment| {
                sums.add_fragment(fragment, &placement);
            });
            (sums, table)
        },
        || {
            let keys = paths::path_keys(
                records,
                &placement,
                &order,
                &definitions,
                sites,
                &steps_of(processes),
                tally,
            );
            let totals = totals::totals(records, &placement, &order, &rows);
            let sums = values::sums_of_others(no_sums(), records, &placement, &order);
            records.idles = Vec::new();
            (keys, totals, sums)
        },
    );
    progress.check()?;
    let totals = totals?;
    let values = sums.table_with(other_sums);
    let waits = tables::waits(records, &order, sites);
    let dependences = order.dependences(&edges);
    let counters = tables::counters(records, &placement, &order, &metrics);
    progress.check()?;
    // Large runs: the list of grains gives its memory back while the table grows.
    let grains = tables::grains(records, &placement, &order, &rows, &keys);
    Ok(RunTables {
        grains,
        fragments,
        waits,
        dependences,
        counters,
        summary: RunSummary {
            meta: Arc::new(meta),
            definitions: definitions.table,
            contexts: contexts.table,
            locations,
            values,
            totals,
            metrics: metrics.table,
        },
    })
}

fn metric_rows(processes: &[Process], records: &Records) -> MetricRows<Measure> {
    let counters = processes.first().map(|process| &process.header.counters);
    MetricRows::new(match counters {
        Some(CounterState::Recorded(names)) => values::metrics(names, records),
        _ => values::metrics(&[], records),
    })
}

fn run_meta(
    processes: &[Process],
    sites: &[Site],
    records: &mut Records,
    order: &GrainRows,
) -> RunMeta {
    let mut meta = meta::metadata(processes, sites, records);
    meta.elapsed = Some(elapsed(records));
    meta.workers = i64::try_from(meta::count_workers(records)).ok();
    meta.grains = count_grains(records, order);
    messages::add(records, processes, &mut meta);
    meta
}

/// The numbers that distinguish processes in paths.
fn steps_of(processes: &[Process]) -> Vec<ProcessStep> {
    let processes = processes.iter();
    processes
        .map(|process| (i64::from(process.rank), process.number))
        .collect()
}

/// The workers, and the row of each.
fn locations_of(processes: &[Process], records: &Records) -> (Locations, Vec<i32>) {
    let nodes: Vec<_> = processes
        .iter()
        .map(|process| machine::numa_nodes(&process.header))
        .collect();
    tables::locations(records, &ranks_of(processes), &nodes)
}

fn ranks_of(processes: &[Process]) -> Vec<i32> {
    let processes = processes.iter();
    processes
        .map(|process| i32::try_from(process.rank).unwrap_or(0))
        .collect()
}

/// Names of the program and of the functions of MPI, by process.
fn names_of(processes: &[Process]) -> contexts::Names {
    contexts::Names {
        programs: processes
            .iter()
            .map(|process| process.program.clone())
            .collect(),
        calls: processes
            .iter()
            .map(|process| meta::item(&process.header, "mpi_calls").unwrap_or_default())
            .map(|names| names.split_whitespace().map(str::to_owned).collect())
            .collect(),
    }
}

/// The id is the content's; the name is the program with the id's beginning.
fn name_run(run: &mut RunTables, id: RunId) {
    let short: String = id.to_string().chars().take(8).collect();
    let meta = run.summary.meta_mut();
    meta.id = id;
    meta.name = format!("{}-{short}", meta.program);
}

/// In tests: the fragments of each worker follow each other, as they are kept in that order.
fn check_fragments(records: &Records) {
    debug_assert!(
        fragments_are_apart(records),
        "a worker ran two grains at once"
    );
}

fn fragments_are_apart(records: &Records) -> bool {
    let mut ends = vec![i64::MIN; records.workers.len()];
    records.fragments.iter().all(|fragment| {
        let end = &mut ends[fragment.location as usize];
        let is_apart = fragment.start >= *end && fragment.duration >= 0;
        *end = fragment.start.saturating_add(fragment.duration);
        is_apart
    })
}

fn count_grains(records: &Records, order: &GrainRows) -> i64 {
    let grains = order
        .grains
        .iter()
        .filter(|&&slot| records.grain(slot).kind.is_grain());
    i64::try_from(grains.count()).unwrap_or(i64::MAX)
}

/// From the first event to the end of the last initial task, or of the last interval of work
/// where a thread was a little later.
fn elapsed(records: &Records) -> i64 {
    let initial = records
        .grains
        .iter()
        .filter(|grain| grain.kind == sheaf_model::table::GrainKind::Initial)
        .map(|grain| grain.end);
    initial
        .chain(records.fragments.end())
        .max()
        .unwrap_or(0)
        .max(0)
}

fn count(processes: &[Process]) -> u32 {
    u32::try_from(processes.len()).unwrap_or(u32::MAX)
}

fn report_problems(processes: &[Process], report: &mut Report) {
    for process in processes {
        for problem in &process.problems {
            report.add("skipped_damaged_parts", 1, || Some(problem.to_string()));
        }
    }
}
