//! Metadata of a run from the headers of its traces.

use std::collections::BTreeMap;

use sheaf_model::{ParamValue, RunMeta};

use super::machine;
use super::processes::Process;
use super::records::Records;
use super::sites::Site;
use super::tables::is_finished_grain;
use crate::trace::{ClockKind, CounterState, TraceHeader};

/// A median below this is mostly the cost of being recorded.
const SHORT_GRAIN_NS: i64 = 2_000;
/// Prefix of variables by which a launcher hands over parameters.
const PARAM_PREFIX: &str = "GRAINSHEAF_PARAM_";
const NOTED_PREFIXES: &[&str] = &["OMP_", "KMP_", "GOMP_", "SLURM_", "PBS_"];
const NOTED: &[&str] = &[
    "MV2_COMM_WORLD_LOCAL_SIZE",
    "MV2_COMM_WORLD_SIZE",
    "OMPI_COMM_WORLD_LOCAL_SIZE",
    "OMPI_COMM_WORLD_SIZE",
    "PMI_SIZE",
];
/// These differ between the processes of one run.
const OF_PROCESSES: &[&str] = &[
    "PBS_NODENUM",
    "PBS_TASKNUM",
    "SLURM_GTIDS",
    "SLURM_LOCALID",
    "SLURM_NODEID",
    "SLURM_PROCID",
    "SLURM_TASK_PID",
];
/// In names of variables that older recorders kept and nobody else may know.
const SECRETS: &[&str] = &[
    "TOKEN",
    "SECRET",
    "PASSW",
    "JWT",
    "COOKIE",
    "CREDENTIAL",
    "_KEY",
];

/// What is known of the run from its headers; times and counts are filled in by the caller.
pub(super) fn metadata(processes: &[Process], sites: &[Site], records: &Records) -> RunMeta {
    let program = processes
        .first()
        .map_or_else(String::new, |process| process.program.clone());
    let mut meta = RunMeta::new(program, "trace");
    let Some(header) = processes.first().map(|process| &process.header) else {
        return meta;
    };
    meta.ranks = count_ranks(processes);
    meta.is_complete = processes.iter().all(|process| process.is_complete);
    let params = &mut meta.params;
    add_process(header, params);
    add_environment(header, params);
    add_compiler(sites, params);
    // A launcher of MPI programs states the number of ranks, also of one.
    let is_stated = (processes.iter()).any(|process| process.header.rank_count.is_some());
    if meta.ranks > 1 || is_stated {
        params.insert("ranks".to_owned(), ParamValue::Number(meta.ranks as f64));
    }
    if processes.len() > 1 {
        let count = ParamValue::Number(processes.len() as f64);
        params.insert("processes".to_owned(), count);
    }
    params.insert("threads".to_owned(), threads(header, records));
    let usage = machine::add(processes, params);
    for (name, value) in &header.environment {
        if let Some(name) = name.strip_prefix(PARAM_PREFIX) {
            params.insert(name.to_owned(), ParamValue::infer(value));
        }
    }
    meta.warnings = warnings(processes, sites, records);
    meta.warnings
        .extend(usage.and_then(|usage| usage.warning(count_workers(records))));
    meta
}

/// The value of an item that the header has no field for.
pub(super) fn item<'a>(header: &'a TraceHeader, key: &str) -> Option<&'a str> {
    let found = header.other.iter().find(|(known, _)| known == key);
    found.map(|(_, value)| value.as_str())
}

/// Number of MPI ranks: as the launcher states, at least those that are there.
fn count_ranks(processes: &[Process]) -> i64 {
    let seen = processes
        .iter()
        .map(|process| i64::from(process.rank) + 1)
        .max()
        .unwrap_or(1);
    let stated = processes
        .iter()
        .filter_map(|process| process.header.rank_count)
        .max();
    seen.max(stated.map_or(1, i64::from))
}

fn threads(header: &TraceHeader, records: &Records) -> ParamValue {
    let set = header.variable("OMP_NUM_THREADS").and_then(|list| {
        let first = list.split(',').next().unwrap_or_default().trim();
        first.parse::<u32>().ok().filter(|&threads| threads > 0)
    });
    ParamValue::Number(f64::from(set.unwrap_or(records.max_team.max(1))))
}

fn add_process(header: &TraceHeader, params: &mut BTreeMap<String, ParamValue>) {
    let mut text = |name: &str, value: Option<String>| {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            params.insert(name.to_owned(), ParamValue::Text(value));
        }
    };
    text("executable", header.executable.clone());
    text(
        "arguments",
        Some(header.command.get(1..).unwrap_or_default().join(" ")),
    );
    text("working_directory", header.working_directory.clone());
    text("host", header.host.clone());
    text("recorder", header.recorder.clone());
    let clock = match header.clock {
        ClockKind::Tsc => "tsc",
        ClockKind::Monotonic => "monotonic",
    };
    text("clock", Some(clock.to_owned()));
    let counters = match &header.counters {
        CounterState::Recorded(names) => names.join(" "),
        CounterState::Absent { reason } => format!("none: {reason}"),
    };
    text("counters", Some(counters));
    for (position, runtime) in header.runtimes.iter().enumerate() {
        let number = if position == 0 {
            String::new()
        } else {
            format!("_{}", position + 1)
        };
        let library = runtime.library.as_deref().unwrap_or_default();
        let file = library.rsplit('/').next().unwrap_or_default();
        let words = [file, runtime.version.as_str()].map(str::trim);
        let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
        text(&format!("runtime{number}"), Some(words.join(", ")));
        let version = runtime.version.trim().to_owned();
        text(&format!("runtime{number}_version"), Some(version));
        text(&format!("runtime{number}_library"), runtime.library.clone());
        let hash = runtime.library_hash.map(|hash| format!("{hash:016x}"));
        text(&format!("runtime{number}_hash"), hash);
    }
    if let Ok(start) = i64::try_from(header.start_wall_ns)
        && start > 0
    {
        params.insert("started".to_owned(), ParamValue::Time(start));
    }
}

fn add_environment(header: &TraceHeader, params: &mut BTreeMap<String, ParamValue>) {
    for (name, value) in &header.environment {
        if is_noted_variable(name) {
            params.insert(name.clone(), ParamValue::infer(value));
        }
    }
}

/// Whether a variable of the environment of a recorded program becomes a parameter of its run.
pub fn is_noted_variable(name: &str) -> bool {
    // How the recorder itself was loaded states nothing about the run.
    let is_left_out = name.starts_with("OMP_TOOL")
        || OF_PROCESSES.contains(&name)
        || SECRETS.iter().any(|word| name.contains(word));
    let is_known =
        NOTED.contains(&name) || NOTED_PREFIXES.iter().any(|prefix| name.starts_with(prefix));
    is_known && !is_left_out
}

/// The compiler of the module that has most of the program's constructs.
fn add_compiler(sites: &[Site], params: &mut BTreeMap<String, ParamValue>) {
    let own = sites.iter().filter(|site| !site.is_in_runtime);
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for producer in own.filter_map(|site| site.module.as_ref()?.producer()) {
        *counts.entry(producer).or_default() += 1;
    }
    // Of equal counts the last by name: any rule does that does not depend on the run.
    let Some((producer, _)) = counts.into_iter().max_by_key(|(_, count)| *count) else {
        return;
    };
    let (compiler, flags) = match producer.find(" -") {
        Some(at) => producer.split_at(at),
        None => (producer, ""),
    };
    params.insert(
        "compiler".to_owned(),
        ParamValue::Text(compiler.trim().to_owned()),
    );
    if !flags.trim().is_empty() {
        let flags = ParamValue::Text(flags.trim().to_owned());
        params.insert("compiler_flags".to_owned(), flags);
    }
}

fn warnings(processes: &[Process], sites: &[Site], records: &Records) -> Vec<String> {
    let mut warnings: Vec<String> = Vec::new();
    for process in processes {
        for problem in &process.problems {
            let text = if processes.len() == 1 {
                problem.to_string()
            } else {
                format!("process {}: {problem}", process.header.process_id)
            };
            warnings.push(text);
        }
    }
    warnings.extend(
        processes
            .iter()
            .find_map(|process| two_runtimes(&process.header)),
    );
    let mut work: Vec<i64> = records
        .grains
        .iter()
        .filter(|grain| is_finished_grain(grain))
        .map(|grain| grain.work)
        .collect();
    let middle = work.len() / 2;
    if !work.is_empty() {
        let (_, &mut median, _) = work.select_nth_unstable(middle);
        if (1..SHORT_GRAIN_NS).contains(&median) {
            warnings.push(format!(
                "half of the grains take less than {median} ns: recording them changes their times"
            ));
        }
    }
    let is_gnu = sites
        .iter()
        .any(|site| site.module.as_ref().is_some_and(|module| module.is_gnu));
    if is_gnu {
        let runtimes = processes
            .iter()
            .flat_map(|process| &process.header.runtimes);
        let mut libraries = runtimes.filter_map(|runtime| runtime.library.as_deref());
        let whose = if libraries.any(|library| library.contains("libiomp5")) {
            "Intel"
        } else {
            "LLVM"
        };
        warnings.push(format!(
            "compiled by GCC and run on {whose}'s runtime: times are of that runtime's scheduler, \
             and loops with static schedule are not recorded"
        ));
    }
    warnings
}

/// A process with two runtimes has a team of threads for each, which compete for the processors.
fn two_runtimes(header: &TraceHeader) -> Option<String> {
    let file = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
    let recorded = header
        .runtimes
        .iter()
        .filter_map(|it| it.library.as_deref());
    let mut names: Vec<String> = recorded.map(file).collect();
    let other = item(header, "other_runtime").map(file);
    let lacking = other
        .as_ref()
        .map(|name| format!(", and {name} is not recorded"));
    names.extend(other);
    names.dedup();
    (names.len() > 1).then(|| {
        format!(
            "the process holds several OpenMP runtimes ({}): each has threads of its own, which compete for the \
             processors{}",
            names.join(", "),
            lacking.unwrap_or_default()
        )
    })
}

/// Threads that did something and are no helpers of the runtime.
pub(super) fn count_workers(records: &Records) -> usize {
    records
        .workers
        .iter()
        .filter(|worker| worker.has_worked && !worker.is_helper)
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_of_runs_are_noted_and_secrets_are_not() {
        for name in [
            "OMP_PLACES",
            "SLURM_JOB_ID",
            "OMPI_COMM_WORLD_SIZE",
            "PBS_JOBID",
        ] {
            assert!(is_noted_variable(name), "{name}");
        }
        for name in [
            "OMP_TOOL_LIBRARIES",
            "SLURM_PROCID",
            "SLURM_JWT",
            "PBS_JOBCOOKIE",
            "HOME",
        ] {
            assert!(!is_noted_variable(name), "{name}");
        }
    }
}
