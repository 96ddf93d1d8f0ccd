//! Exports of the sample ensembles, read back.

#![expect(
    clippy::unwrap_used,
    clippy::cast_sign_loss,
    reason = "a failed step is a failed test, and rows are not negative"
)]

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use sheaf_ensemble::{Ensemble, ExportFormat, GraphForm};
use sheaf_ingest::{Input, NoModules, Run, Symbols, read};
use sheaf_model::{Lens, Progress, RunId, RunTables};
use sheaf_store::Store;

fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../data/ensembles/{name}"))
}

/// The first and last run of a sample, by name.
fn runs(ensemble: &Ensemble) -> Vec<RunId> {
    let rows = ensemble
        .view(&Progress::silent())
        .unwrap()
        .runs(&Lens::default())
        .unwrap()
        .runs;
    let ids: Vec<RunId> = rows.iter().map(|row| row.run.parse().unwrap()).collect();
    vec![ids[0], ids[ids.len() - 1]]
}

fn export(ensemble: &Ensemble, run: RunId) -> Vec<u8> {
    let mut bytes = Vec::new();
    ensemble
        .view(&Progress::silent())
        .unwrap()
        .export(
            &run.to_string(),
            ExportFormat::Chrome,
            GraphForm::Reduced,
            &mut bytes,
        )
        .unwrap();
    bytes
}

fn read_back(bytes: &[u8]) -> Run {
    let bytes = bytes.to_vec();
    let inputs = [Input::new("export.json", &bytes)];
    let mut reading = read(&inputs, &Symbols::new(NoModules), &Progress::silent()).unwrap();
    assert!(reading.refused.is_empty(), "{:?}", reading.refused);
    reading.runs.remove(0)
}

fn original(name: &str, run: RunId) -> RunTables {
    let snapshot = Store::open(&sample(name)).unwrap().snapshot().unwrap();
    snapshot.tables(run).unwrap()
}

type Shape = (String, Option<String>, Option<i64>, Option<i64>);

/// Per grain: its name, its parent's, its start after the first fragment, its work.
fn shape(tables: &RunTables) -> BTreeMap<Shape, usize> {
    let definitions: Vec<_> = tables
        .summary
        .definitions
        .rows()
        .map(|row| row.name)
        .collect();
    let contexts: Vec<_> = tables.summary.contexts.rows().collect();
    let rows: Vec<_> = tables.grains.rows().collect();
    let name = |row: usize| {
        let definition = contexts[rows[row].context as usize].definition;
        definitions[definition as usize].clone()
    };
    let first = tables.fragments.rows().map(|row| row.start).min().unwrap();
    let mut shape = BTreeMap::new();
    for (at, row) in rows.iter().enumerate() {
        let parent = row.parent.map(|parent| name(parent as usize));
        *shape
            .entry((
                name(at),
                parent,
                row.start.map(|start| start - first),
                row.work,
            ))
            .or_default() += 1;
    }
    shape
}

#[test]
fn what_was_exported_is_read_back_as_it_was() {
    for name in ["threads", "versions", "runtimes"] {
        let ensemble = Ensemble::open(&sample(name)).unwrap();
        for run in runs(&ensemble) {
            let before = original(name, run);
            let after = read_back(&export(&ensemble, run));
            let tables = &after.tables;
            assert_eq!(tables.content_id(), before.content_id(), "{name} {run}");
            assert_eq!(after.report.count("repaired_changed_export"), 0);
            macro_rules! same {
                ($($($table:ident).+),+ $(,)?) => {$({
                    let ours: Vec<_> = tables.$($table).+.rows().collect();
                    let theirs: Vec<_> = before.$($table).+.rows().collect();
                    assert_eq!(ours, theirs, stringify!($($table).+));
                })+};
            }
            same!(
                grains,
                fragments,
                waits,
                dependences,
                counters,
                summary.contexts,
                summary.definitions,
                summary.locations,
                summary.metrics,
                summary.values,
                summary.totals,
            );
            let (ours, theirs) = (&tables.summary.meta, &before.summary.meta);
            assert_eq!(ours.params, theirs.params);
            assert_eq!(
                (ours.workers, ours.elapsed),
                (theirs.workers, theirs.elapsed)
            );
            assert!(
                before.grains.len() > 100 && before.waits.len() > 10,
                "{name}"
            );
        }
    }
}

/// Without our tables the events still give every grain with its parent, name, time and work.
#[test]
fn events_alone_hold_grains_parents_and_work() {
    for name in ["threads", "runtimes"] {
        let ensemble = Ensemble::open(&sample(name)).unwrap();
        let run = runs(&ensemble)[1];
        let mut bytes = export(&ensemble, run);
        let marker = b"\n],\n\"grainsheaf\":";
        let cut = bytes.windows(marker.len()).rposition(|it| it == marker);
        bytes.truncate(cut.unwrap());
        let after = read_back(&bytes);
        assert_eq!(after.report.count("repaired_changed_export"), 1);
        let rule = after.tables.summary.meta.params["parentage"].to_string();
        assert_eq!(rule, "args");
        let before = original(name, run);
        assert_eq!(shape(&after.tables), shape(&before), "{name}");
        let created = |tables: &RunTables| {
            tables
                .grains
                .rows()
                .filter(|row| row.created.is_some())
                .count()
        };
        assert!(created(&after.tables) > 0);
    }
}

/// An event that somebody took out or changed is not put back from the tables.
#[test]
fn changed_exports_are_read_as_what_they_are() {
    let ensemble = Ensemble::open(&sample("threads")).unwrap();
    let run = runs(&ensemble)[0];
    let text = String::from_utf8(export(&ensemble, run)).unwrap();
    let line = text
        .lines()
        .find(|line| line.starts_with("{\"ph\":\"X\""))
        .unwrap();
    let changed = line.replacen("\"dur\":", "\"dur\":1", 1);
    for text in [
        text.replacen(&format!("{line}\n"), "", 1),
        text.replacen(line, &changed, 1),
    ] {
        let after = read_back(&text.into_bytes());
        assert_eq!(after.report.count("repaired_changed_export"), 1);
        assert_ne!(after.tables.summary.meta.id, run);
    }
}

#[test]
fn exports_are_json_to_others() {
    const CHECK: &str = "
import json, sys
trace = json.load(sys.stdin)
events = trace['traceEvents']
slices = [e for e in events if e['ph'] == 'X' and e['cat'] != 'wait']
print(len(slices), len({e['args']['id'] for e in slices}))
starts = {e['id']: e for e in events if e['ph'] == 's'}
ends = {e['id']: e for e in events if e['ph'] == 'f'}
assert starts.keys() == ends.keys() and starts
lanes = {}
for e in slices:
    lanes.setdefault((e['pid'], e['tid']), []).append((round(e['ts'] * 1000), round(e['dur'] * 1000)))
for lane in lanes.values():
    lane.sort()
    assert all(a[0] + a[1] <= b[0] for a, b in zip(lane, lane[1:]))
for flow in starts.values():
    at = round(flow['ts'] * 1000)
    assert any(a <= at <= a + d for a, d in lanes[flow['pid'], flow['tid']])
";
    let Ok(mut python) = Command::new("python3")
        .args(["-c", CHECK])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
    else {
        println!("not checked: python3 is not there");
        return;
    };
    let ensemble = Ensemble::open(&sample("runtimes")).unwrap();
    let run = runs(&ensemble)[0];
    let bytes = export(&ensemble, run);
    python.stdin.take().unwrap().write_all(&bytes).unwrap();
    let output = python.wait_with_output().unwrap();
    assert!(output.status.success());
    let before = original("runtimes", run);
    let mut grains: Vec<_> = before.fragments.rows().map(|row| row.grain).collect();
    grains.dedup();
    let expected = format!("{} {}\n", before.fragments.len(), grains.len());
    assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
}
