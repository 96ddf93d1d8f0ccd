//! Metadata of the process in a trace, as text items.

use std::fmt::Write as _;

use crate::format;

/// Items of one metadata chunk; their coding is specified in `TRACE.md`.
#[derive(Default)]
pub(crate) struct Items {
    bytes: Vec<u8>,
}

impl Items {
    pub(crate) fn add(&mut self, key: &str, value: &[u8]) {
        self.number(key.len() as u64);
        self.bytes.extend_from_slice(key.as_bytes());
        self.number(value.len() as u64);
        self.bytes.extend_from_slice(value);
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn number(&mut self, value: u64) {
        let bits = 64 - (value | 1).leading_zeros();
        let len = bits.div_ceil(7);
        if len > 8 {
            self.bytes.push(0);
            self.bytes.extend_from_slice(&value.to_le_bytes());
            return;
        }
        let word = ((value << 1) | 1) << (len - 1);
        self.bytes
            .extend_from_slice(word.to_le_bytes().get(..len as usize).unwrap_or_default());
    }
}

/// Items about the process itself.
pub(crate) fn describe_process(items: &mut Items) {
    items.add("recorder", env!("CARGO_PKG_VERSION").as_bytes());
    items.add("records", record_table().as_bytes());
    if let Ok(command) = std::fs::read("/proc/self/cmdline") {
        items.add("command", &command);
    }
    let link = std::fs::read_link("/proc/self/exe");
    for (key, path) in [
        ("executable", link),
        ("working_directory", std::env::current_dir()),
    ] {
        if let Ok(path) = path {
            items.add(key, path.as_os_str().as_encoded_bytes());
        }
    }
    if let Ok(host) = std::fs::read_to_string("/proc/sys/kernel/hostname") {
        items.add("host", host.trim_end().as_bytes());
    }
    describe_environment(items);
}

fn record_table() -> String {
    let mut table = String::new();
    for (tag, name, operands) in format::RECORDS {
        let _ = writeln!(table, "{tag} {name} {operands}");
    }
    table
}

const PREFIXES: &[&str] = &["OMP_", "KMP_", "GOMP_", "GRAINSHEAF_"];
/// Batch systems and launchers hand over credentials in variables too, so theirs are named.
const NAMES: &[&str] = &[
    "LD_PRELOAD",
    "MV2_COMM_WORLD_LOCAL_RANK",
    "MV2_COMM_WORLD_LOCAL_SIZE",
    "OMPI_COMM_WORLD_LOCAL_RANK",
    "OMPI_COMM_WORLD_LOCAL_SIZE",
    "PBS_ARRAYID",
    "PBS_ARRAY_INDEX",
    "PBS_JOBID",
    "PBS_JOBNAME",
    "PBS_NODENUM",
    "PBS_NP",
    "PBS_NUM_NODES",
    "PBS_NUM_PPN",
    "PBS_O_HOST",
    "PBS_QUEUE",
    "PBS_WALLTIME",
    "PMIX_NAMESPACE",
    "PMI_LOCAL_RANK",
    "SLURM_ARRAY_JOB_ID",
    "SLURM_ARRAY_TASK_ID",
    "SLURM_CLUSTER_NAME",
    "SLURM_CPUS_ON_NODE",
    "SLURM_CPUS_PER_TASK",
    "SLURM_CPU_BIND",
    "SLURM_CPU_BIND_TYPE",
    "SLURM_CPU_FREQ_REQ",
    "SLURM_DISTRIBUTION",
    "SLURM_HINT",
    "SLURM_JOBID",
    "SLURM_JOB_CPUS_PER_NODE",
    "SLURM_JOB_ID",
    "SLURM_JOB_NAME",
    "SLURM_JOB_NODELIST",
    "SLURM_JOB_NUM_NODES",
    "SLURM_JOB_PARTITION",
    "SLURM_JOB_QOS",
    "SLURM_LOCALID",
    "SLURM_MEM_BIND",
    "SLURM_MEM_PER_CPU",
    "SLURM_MEM_PER_NODE",
    "SLURM_NNODES",
    "SLURM_NODEID",
    "SLURM_NODELIST",
    "SLURM_NPROCS",
    "SLURM_NTASKS_PER_NODE",
    "SLURM_RESTART_COUNT",
    "SLURM_STEP_ID",
    "SLURM_STEP_NUM_TASKS",
    "SLURM_TASKS_PER_NODE",
    "SLURM_THREADS_PER_CORE",
];
/// Parts of the names of variables with secrets.
const SECRETS: &[&str] = &[
    "TOKEN",
    "SECRET",
    "PASSW",
    "JWT",
    "COOKIE",
    "CREDENTIAL",
    "_KEY",
];
/// In order of trust: a launcher's own variable before the batch system's.
const RANKS: &[&str] = &[
    "OMPI_COMM_WORLD_RANK",
    "MV2_COMM_WORLD_RANK",
    "PMIX_RANK",
    "PMI_RANK",
    "SLURM_PROCID",
    "PBS_TASKNUM",
];
const RANK_COUNTS: &[&str] = &[
    "OMPI_COMM_WORLD_SIZE",
    "MV2_COMM_WORLD_SIZE",
    "PMIX_SIZE",
    "PMI_SIZE",
    "SLURM_NTASKS",
];

fn describe_environment(items: &mut Items) {
    let mut kept: Vec<(String, Vec<u8>)> = std::env::vars_os()
        .filter_map(|(name, value)| {
            let name = name.into_string().ok()?;
            is_kept(&name).then(|| (name, value.into_encoded_bytes()))
        })
        .collect();
    kept.sort();
    for (name, value) in &kept {
        items.add("environment", &[name.as_bytes(), b"=", value].concat());
    }
    for (key, names) in [("rank", RANKS), ("rank_count", RANK_COUNTS)] {
        let number = names.iter().find_map(|name| {
            let value = std::env::var(name).ok()?;
            value.parse::<u32>().is_ok().then_some(value)
        });
        if let Some(number) = number {
            items.add(key, number.as_bytes());
        }
    }
}

fn is_kept(name: &str) -> bool {
    let is_known = PREFIXES.iter().any(|prefix| name.starts_with(prefix))
        || [NAMES, RANKS, RANK_COUNTS]
            .iter()
            .any(|names| names.contains(&name));
    is_known && !SECRETS.iter().any(|word| name.contains(word))
}

/// A 64-bit FNV-1a hash over little-endian words of eight bytes, the last filled with zeros.
/// By words, because it is computed while the program starts.
pub(crate) fn hash_words(bytes: &[u8]) -> u64 {
    bytes
        .chunks(8)
        .fold(0xcbf2_9ce4_8422_2325, |hash: u64, chunk| {
            let mut word = [0; 8];
            for (to, from) in word.iter_mut().zip(chunk) {
                *to = *from;
            }
            (hash ^ u64::from_le_bytes(word)).wrapping_mul(0x0100_0000_01b3)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn environment_is_chosen_by_prefix_or_name() {
        assert!(is_kept("OMP_NUM_THREADS") && is_kept("PMI_RANK") && is_kept("SLURM_JOB_ID"));
        assert!(!is_kept("HOME") && !is_kept("AWS_SECRET") && !is_kept("XOMP_"));
        assert!(!is_kept("SLURM_JWT") && !is_kept("PBS_JOBCOOKIE") && !is_kept("GRAINSHEAF_TOKEN"));
    }

    #[test]
    fn hash_pads_with_zeros() {
        assert_eq!(hash_words(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(hash_words(b"abc"), hash_words(b"abc\0\0\0\0\0"));
        assert_ne!(hash_words(b"abcdefgh"), hash_words(b"abcdefghi"));
    }
}
