//! A process that is killed at any time leaves a sound store.
//!
//! The test program runs itself again as the process that dies. `GRAINSHEAF_KILLS` sets how often.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use super::{compact, files, ids, ids_of, import, prepared, verify};
use crate::Store;
use crate::synthetic::Numbers;

const STORE: &str = "SHEAF_STORE_CRASH_STORE";
const SEED: &str = "SHEAF_STORE_CRASH_SEED";

/// The child's side: works until it is killed. Without the variables, there is nothing to do.
#[test]
fn child() {
    let (Ok(path), Ok(seed)) = (std::env::var(STORE), std::env::var(SEED)) else {
        return;
    };
    let store = Store::open(Path::new(&path)).unwrap();
    let seed: u64 = seed.parse().unwrap();
    loop {
        import(&store, [seed, seed + 1]);
        println!("reported {seed}");
        // Another process may hold the lease.
        let _ = store.compact(&sheaf_model::Progress::silent());
        let _ = store.remove(&ids_of([seed]));
    }
}

fn spawn(store: &Store, seed: u64, report: &Path) -> Child {
    let report = std::fs::File::create(report).unwrap();
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "tests::crash::child", "--nocapture"])
        .env(STORE, store.path())
        .env(SEED, seed.to_string())
        .stdout(report)
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Two processes at once import, compact and remove, and both are killed. Runs that were there
/// before stay, and of those that a process reported, the one that nobody removes.
#[test]
fn processes_killed_at_random_times_lose_no_reported_run() {
    let kills = std::env::var("GRAINSHEAF_KILLS").map_or(40, |kills| kills.parse().unwrap());
    let mut numbers = Numbers::new(7);
    let fixture = prepared();
    let mut reported = 0;
    for kill in 0..kills / 2 {
        let reports: Vec<PathBuf> = (0..2)
            .map(|place| fixture.folder.path().join(format!("report-{place}")))
            .collect();
        let seeds = [100 + 4 * kill, 102 + 4 * kill];
        let children = seeds.iter().zip(&reports);
        let mut children: Vec<Child> = children
            .map(|(seed, report)| spawn(&fixture.store, *seed, report))
            .collect();
        for child in &mut children {
            std::thread::sleep(Duration::from_millis(20 + numbers.any() % 250));
            child.kill().unwrap();
            child.wait().unwrap();
        }
        let found = ids(&fixture.store);
        assert!(ids_of([1, 2, 3]).iter().all(|id| found.contains(id)));
        for (seed, report) in seeds.iter().zip(&reports) {
            if std::fs::read_to_string(report)
                .unwrap()
                .contains("reported")
            {
                reported += 1;
                assert!(found.contains(&ids_of([seed + 1])[0]), "kill {kill}");
            }
        }
        assert_eq!(verify(&fixture.store).damaged, []);
    }
    assert!(reported > 0, "no process came far enough to report a run");
    let before = ids(&fixture.store);
    compact(&fixture.store);
    assert_eq!(ids(&fixture.store), before);
    assert_eq!(verify(&fixture.store).leftovers, Vec::<PathBuf>::new());
    assert!(files(&fixture.store.path().join("notes")).is_empty());
}
