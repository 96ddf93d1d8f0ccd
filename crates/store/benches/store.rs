//! Bytes per grain, and times of import, listing, loading, verification and compaction.
//!
//! `cargo bench -p sheaf-store` prints a table; nothing is asserted.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a program for people that stops at the first failure"
)]

#[path = "../tests/synthetic/mod.rs"]
#[expect(dead_code, reason = "measurements need no arbitrary runs")]
mod synthetic;

use std::path::Path;
use std::time::Instant;

use sheaf_model::{Progress, RunId, RunTables};
use sheaf_store::Store;
use synthetic::programs;

fn main() {
    bytes_per_grain("recursion, fib(23)", &programs::recursion(1, 23));
    bytes_per_grain("recursion, fib(18)", &programs::recursion(1, 18));
    bytes_per_grain("loops", &programs::loops(1, 100_000));
    profiles(1_000, 74, 22);
    grains(20);
}

fn bytes_per_grain(what: &str, run: &RunTables) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::create_or_open(&folder.path().join("store")).unwrap();
    let id = import(&store, [run.clone()])[0];
    let snapshot = store.snapshot().unwrap();
    let grains = run.grains.len();
    let bytes = disk_bytes(&store.path().join("segments"));
    println!(
        "\n{what}: {grains} grains, {bytes} bytes on disk, {:.2} per grain",
        ratio(bytes, grains)
    );
    for size in snapshot.table_sizes(id).unwrap() {
        if size.rows > 0 {
            let per_grain = ratio(size.bytes, grains);
            println!(
                "  {:12} {:8} rows  {per_grain:6.3} bytes per grain",
                size.name, size.rows
            );
        }
    }
    let segment = store.path().join("segments");
    let segment = std::fs::read_dir(segment)
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    for table in ["grains", "fragments", "waits"] {
        columns(&segment.join(format!("{table}.parquet")), table, grains);
    }
}

fn columns(path: &Path, table: &str, grains: usize) {
    use parquet::file::reader::FileReader;
    let Ok(file) = std::fs::File::open(path) else {
        return;
    };
    let reader = parquet::file::reader::SerializedFileReader::new(file).unwrap();
    let groups = reader.metadata().row_groups();
    for column in 0..groups[0].num_columns() {
        let bytes: i64 = groups
            .iter()
            .map(|group| group.column(column).compressed_size())
            .sum();
        let bytes = ratio(u64::try_from(bytes).unwrap(), grains);
        println!(
            "    {table}.{:16} {bytes:6.3}",
            groups[0].column(column).column_path().string()
        );
    }
}

fn profiles(runs: usize, contexts: usize, metrics: usize) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::create_or_open(&folder.path().join("store")).unwrap();
    let made: Vec<RunTables> = (0..runs)
        .map(|seed| programs::profile(seed as u64, contexts, metrics))
        .collect();
    println!("\n{runs} profiles of {contexts} contexts and {metrics} metrics");
    let ids = timed("import", || import(&store, made));
    report(&store, &ids);
}

fn grains(runs: usize) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::create_or_open(&folder.path().join("store")).unwrap();
    let made: Vec<RunTables> = (0..runs)
        .map(|seed| programs::recursion(seed as u64, 23))
        .collect();
    println!("\n{runs} runs of fib(23), 92,735 grains each");
    let ids = timed("import", || import(&store, made));
    report(&store, &ids);
    let snapshot = store.snapshot().unwrap();
    timed("all tables of a run", || snapshot.tables(ids[0]).unwrap());
    timed("two columns of all runs", || {
        for id in &ids {
            snapshot
                .columns(*id, "grains", &["context", "work"], None)
                .unwrap();
        }
    });
    timed("grains of one context", || {
        snapshot.grains_in(ids[0], 5..6).unwrap()
    });
}

fn report(store: &Store, ids: &[RunId]) {
    let silent = Progress::silent();
    let bytes = disk_bytes(&store.path().join("segments"));
    println!("  {:28} {bytes:10} bytes", "on disk");
    let again = Store::open(store.path()).unwrap();
    let snapshot = timed("first snapshot", || again.snapshot().unwrap());
    timed("next snapshot", || again.snapshot().unwrap());
    timed("all summaries", || snapshot.summaries(ids).unwrap());
    timed("all summaries again", || snapshot.summaries(ids).unwrap());
    timed("one summary", || snapshot.summary(ids[0]).unwrap());
    timed("verify", || assert!(store.verify(&silent).unwrap().is_ok()));
    timed("compact", || store.compact(&silent).unwrap());
    timed("compact again", || store.compact(&silent).unwrap());
    let snapshot = store.snapshot().unwrap();
    timed("all summaries, compacted", || {
        snapshot.summaries(ids).unwrap()
    });
}

fn import(store: &Store, runs: impl IntoIterator<Item = RunTables>) -> Vec<RunId> {
    let mut importer = store.import().unwrap();
    for run in runs {
        importer.add(run).unwrap();
    }
    importer.publish().unwrap().runs
}

fn timed<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let (start, used) = (Instant::now(), cpu_ms());
    let result = work();
    let wall = start.elapsed().as_secs_f64() * 1e3;
    println!("  {what:28} {wall:10.2} ms {:10.2} CPU ms", cpu_ms() - used);
    result
}

/// Time that all threads spent on a processor; 0 where the system does not provide it.
fn cpu_ms() -> f64 {
    let Ok(threads) = std::fs::read_dir("/proc/self/task") else {
        return 0.0;
    };
    threads
        .filter_map(|thread| {
            let schedule = std::fs::read_to_string(thread.ok()?.path().join("schedstat")).ok()?;
            schedule.split(' ').next()?.parse::<f64>().ok()
        })
        .sum::<f64>()
        / 1e6
}

fn disk_bytes(path: &Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(path) else {
        return std::fs::metadata(path).unwrap().len();
    };
    entries
        .map(|entry| disk_bytes(&entry.unwrap().path()))
        .sum()
}

fn ratio(bytes: u64, count: usize) -> f64 {
    bytes as f64 / count.max(1) as f64
}
