//! Which traces belong to one run.
//!
//! A forked child belongs to the run of its parent. Ranks of one MPI launch belong together:
//! they have the same executable, arguments, number of ranks and job; where one job step has
//! launched the same command several times, the n-th trace of each rank is of the n-th launch.
//! A launcher that knows better sets `GRAINSHEAF_RUN`. Every other trace is a run of its own.

use std::collections::{BTreeMap, HashMap};

use super::{Trace, TraceHeader};

/// Variable whose value, where set, is the same for all processes of a run and no others.
const RUN_VARIABLE: &str = "GRAINSHEAF_RUN";
/// Variable that has the same value in all processes that one launch started, whatever runs they are.
const LAUNCH_VARIABLE: &str = "GRAINSHEAF_LAUNCH";
/// Variables that distinguish launches.
const JOB_VARIABLES: &[&str] = &[
    "PMIX_NAMESPACE",
    "SLURM_JOB_ID",
    "SLURM_STEP_ID",
    "PBS_JOBID",
];

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Named(String),
    /// Command, number of ranks, job, and how many launches of the same came before.
    Launch(Vec<String>, u32, Vec<Option<String>>, usize),
    /// A trace by itself: start, process and position.
    Alone(u64, u32, usize),
}

/// Traces so far of each rank of a launch: command, ranks, job, rank.
type Launches = HashMap<(Vec<String>, u32, Vec<Option<String>>, u32), usize>;

/// Positions of the traces of each run, in the order in which runs started.
pub(super) fn group(traces: &[(usize, Trace<'_>)]) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..traces.len()).collect();
    order.sort_by_key(|&at| {
        let header = &traces[at].1.header;
        (header.start_wall_ns, header.process_id, at)
    });
    let mut launches = Launches::new();
    // The latest trace of each process: numbers are reused in long studies.
    let mut by_process: HashMap<(Option<&str>, u32), Key> = HashMap::new();
    let mut groups: BTreeMap<Key, Vec<usize>> = BTreeMap::new();
    let mut started: Vec<Key> = Vec::new();
    for at in order {
        let header = &traces[at].1.header;
        let host = header.host.as_deref();
        let parent = header
            .forked_from
            .and_then(|pid| by_process.get(&(host, pid)))
            .cloned();
        let key = parent.unwrap_or_else(|| own_key(header, at, &mut launches));
        by_process.insert((host, header.process_id), key.clone());
        if !groups.contains_key(&key) {
            started.push(key.clone());
        }
        groups.entry(key).or_default().push(at);
    }
    started
        .into_iter()
        .filter_map(|key| groups.remove(&key))
        .collect()
}

fn own_key(header: &TraceHeader, at: usize, launches: &mut Launches) -> Key {
    let variable = |name: &str| header.variable(name).map(str::to_owned);
    if let Some(name) = variable(RUN_VARIABLE).filter(|name| !name.is_empty()) {
        return Key::Named(name);
    }
    let (Some(rank), Some(ranks)) = (header.rank, header.rank_count.filter(|&count| count > 1))
    else {
        return Key::Alone(header.start_wall_ns, header.process_id, at);
    };
    let job: Vec<Option<String>> = JOB_VARIABLES.iter().map(|name| variable(name)).collect();
    let launch = (header.command.clone(), ranks, job.clone(), rank);
    let before = launches.entry(launch).or_insert(0);
    let key = Key::Launch(header.command.clone(), ranks, job, *before);
    *before += 1;
    key
}

/// Numbers the runs of a program that one launch started, from 1, in the order of their start. A run that is the only
/// one of its program has no number.
///
/// ```text
/// launch script: solve, solve, plot   ->   1, 2, none
/// ```
pub(super) fn number_in_launch(
    traces: &[(usize, Trace<'_>)],
    groups: &[Vec<usize>],
) -> Vec<Option<u32>> {
    let origin = |group: &Vec<usize>| {
        let header = &traces.get(*group.first()?)?.1.header;
        let launch = header.variable(LAUNCH_VARIABLE)?;
        Some((launch.to_owned(), header.program()?.to_owned()))
    };
    let origins: Vec<Option<(String, String)>> = groups.iter().map(origin).collect();
    let mut counts: HashMap<&(String, String), (u32, u32)> = HashMap::new();
    for origin in origins.iter().flatten() {
        counts.entry(origin).or_default().1 += 1;
    }
    let mut number = |origin: &Option<(String, String)>| {
        let (so_far, all) = counts.get_mut(origin.as_ref()?)?;
        *so_far += 1;
        (*all > 1).then_some(*so_far)
    };
    origins.iter().map(&mut number).collect()
}
