//! Damaged traces: whatever the bytes, reading ends with tables that are valid or with an error.

use proptest::prelude::*;
use sheaf_model::Progress;

use super::encode::encode;
use super::script::Script;
use crate::trace::Trace;
use crate::{NoModules, Symbols};

/// Scripts with regions, tasks, waits and loops.
const SCRIPTS: &[&str] = &[
    "nested_regions",
    "taskgroup",
    "taskloop",
    "tasks_in_chunks",
    "team_of_one",
    "untied",
];

fn script(name: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/build");
    std::fs::read_to_string(format!("{folder}/{name}.events")).unwrap()
}

fn sample(name: &str) -> Vec<u8> {
    encode(&Script::parse(&script(name)).processes[0])
}

fn read_anything(bytes: &[u8]) {
    let Ok(trace) = Trace::parse(bytes) else {
        return;
    };
    let symbols = Symbols::new(NoModules);
    if let Ok((run, _)) = crate::trace::build(&[trace], &symbols, &Progress::silent()) {
        run.validate().unwrap();
        let mut by_worker: Vec<_> = run.fragments.rows().collect();
        by_worker.sort_by_key(|row| (row.location, row.start, row.duration));
        for pair in by_worker.windows(2) {
            let [a, b] = pair else { continue };
            let is_apart = a.location != b.location || a.start + a.duration <= b.start;
            assert!(is_apart, "{a:?} {b:?}");
        }
    }
}

/// Bytes of a trace that have a meaning: its header and chunks, without most of the padding.
fn places(bytes: &[u8]) -> Vec<usize> {
    let used = |&at: &usize| bytes[at] != 0 || at % 4096 < 160;
    (0..bytes.len()).filter(used).collect()
}

#[test]
fn encoded_scripts_give_the_same_tables() {
    for name in SCRIPTS {
        let (expected, _) = super::build_script(&script(name));
        let bytes = sample(name);
        let trace = Trace::parse(&bytes).unwrap();
        assert!(trace.complete, "{name}: {:?}", trace.problems);
        let symbols = Symbols::new(NoModules);
        let (run, _) = crate::trace::build(&[trace], &symbols, &Progress::silent()).unwrap();
        let rows = |run: &sheaf_model::RunTables| {
            let kinds = run
                .grains
                .rows()
                .map(|row| (row.kind, row.index, row.work.unwrap(), row.waiting));
            let fragments = run
                .fragments
                .rows()
                .map(|row| (row.grain, row.start, row.duration));
            (kinds.collect::<Vec<_>>(), fragments.collect::<Vec<_>>())
        };
        assert_eq!(rows(&run), rows(&expected), "{name}");
    }
}

#[test]
fn every_prefix_is_read() {
    for name in SCRIPTS {
        let bytes = sample(name);
        for len in places(&bytes) {
            read_anything(&bytes[..len]);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn changed_bytes_are_read(
        name in prop::sample::select(SCRIPTS),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12),
    ) {
        let mut bytes = sample(name);
        let places = places(&bytes);
        for (at, byte) in changes {
            bytes[*at.get(&places)] = byte;
        }
        read_anything(&bytes);
    }

    #[test]
    fn moved_bytes_are_read(
        name in prop::sample::select(SCRIPTS),
        from in any::<prop::sample::Index>(),
        to in any::<prop::sample::Index>(),
        len in 1..200_usize,
    ) {
        let mut bytes = sample(name);
        let places = places(&bytes);
        let (from, to) = (*from.get(&places), *to.get(&places));
        let len = len.min(bytes.len() - from.max(to));
        bytes.copy_within(from..from + len, to);
        read_anything(&bytes);
    }
}
