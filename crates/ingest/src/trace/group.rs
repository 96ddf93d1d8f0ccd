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
    let variable = |name: &str| {
        let found = header.environment.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.clone())
    };
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
