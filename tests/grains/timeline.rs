//! The time of runs against what DAG Recorder says of its recordings, and an independent program:
//! statistics, matrices of edges, profiles, gaps.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use serde_json::Value;
use sheaf_grains::grain_graph::Structure;
use sheaf_grains::timeline::{Policy, ReadyBy, Steps, Summary, Timeline};
use sheaf_model::RunTables;
use sheaf_model::table::{FragmentEnd, flags};

use crate::{reference, run};

/// Kinds of edges that recordings have, and their names there.
const KINDS: [(ReadyBy, &str); 5] = [
    (ReadyBy::Synchronisation, "end"),
    (ReadyBy::Creation, "create"),
    (ReadyBy::CreationContinuation, "create_cont"),
    (ReadyBy::WaitContinuation, "wait_cont"),
    (ReadyBy::OtherContinuation, "other_cont"),
];

/// Folded recordings: the recorder's delay, and ours.
const FOLDED: [(&str, i128, i64); 4] = [
    ("fib-collapsed/mth-w2", 7_320_526, 7_320_526),
    ("sort-collapsed/mth-w2", 153_661_275, 139_336_601),
    ("tiny-collapsed/mth-w2", 37_375_857, 34_602_774),
    ("uts-collapsed/mth-w2", 99_373_957, 81_905_779),
];

/// Counts what was compared and gathers what differs.
#[derive(Default)]
struct Comparison {
    values: usize,
    differences: Vec<String>,
}

impl Comparison {
    fn exact(&mut self, what: &str, ours: i128, theirs: i128) {
        self.values += 1;
        if ours != theirs {
            self.differences
                .push(format!("{what}: ours {ours}, theirs {theirs}"));
        }
    }

    fn close(&mut self, what: &str, ours: f64, theirs: f64, within: f64) {
        self.values += 1;
        if (ours - theirs).abs() > within {
            self.differences
                .push(format!("{what}: ours {ours}, theirs {theirs}"));
        }
    }
}

/// A text, packed or not.
fn text(path: &Path) -> Option<String> {
    if let Ok(text) = std::fs::read_to_string(path) {
        return Some(text);
    }
    let packed = std::fs::File::open(format!("{}.gz", path.display())).ok()?;
    let mut text = String::new();
    flate2::read::GzDecoder::new(packed)
        .read_to_string(&mut text)
        .unwrap();
    Some(text)
}

/// Recordings by name (`fib/mth-w2`).
fn recordings(folder: &Path) -> BTreeMap<String, PathBuf> {
    let mut found = BTreeMap::new();
    for variant in std::fs::read_dir(folder).unwrap() {
        let Ok(files) = std::fs::read_dir(variant.unwrap().path()) else {
            continue;
        };
        for file in files {
            let path = file.unwrap().path();
            let name = path.strip_prefix(folder).unwrap().to_str().unwrap();
            if let Some((name, _)) = name.split_once(".dag") {
                found.insert(name.to_owned(), path.clone());
            }
        }
    }
    found
}

fn is_folded(tables: &RunTables) -> bool {
    let flags = tables.grains.flags.values();
    flags.iter().any(|flags| flags & flags::COLLAPSED != 0)
}

#[test]
fn recordings_have_the_time_that_their_recorder_says() {
    let Some(folder) = reference("dag-recorder") else {
        return;
    };
    let reference: Value =
        serde_json::from_str(&text(&folder.join("reference.json")).unwrap()).unwrap();
    let recordings = recordings(&folder);
    assert_eq!(recordings.len(), 55);
    let mut comparison = Comparison::default();
    let mut num_folded = 0;
    for (name, path) in &recordings {
        let tables = run(path);
        let structure = Structure::of(&tables);
        let timeline = Timeline::of(&tables, &structure).unwrap();
        let theirs = &reference["files"][name];
        assert!(theirs.is_object(), "{name}");
        let stat = text(&folder.join(format!("{name}.stat"))).unwrap();
        let compared = Compared {
            name,
            tables: &tables,
            timeline: &timeline,
            is_folded: is_folded(&tables),
        };
        num_folded += usize::from(compared.is_folded);
        compared.totals(&mut comparison, &stat);
        compared.edges(&mut comparison, theirs);
        compared.last_finish(&mut comparison, theirs);
        compared.gaps(&mut comparison, theirs);
        compared.policy(&mut comparison);
        if !compared.is_folded {
            compared.areas(&mut comparison, theirs);
            compared.matrices(&mut comparison, &stat);
            compared.profile(&mut comparison, theirs);
        }
        let variant = name.replace('/', "-");
        let drawn = [
            folder.join(format!("oracle-gpl/{variant}.gpl")),
            folder.join(format!("{name}.gpl")),
        ];
        for drawn in drawn.iter().filter_map(|path| text(path)) {
            compared.drawn(&mut comparison, &drawn);
        }
    }
    println!(
        "{} values of {} recordings compared, {num_folded} of them folded",
        comparison.values,
        recordings.len()
    );
    assert!(
        comparison.differences.is_empty(),
        "{} differ:\n{}",
        comparison.differences.len(),
        comparison.differences.join("\n")
    );
}

/// One recording.
struct Compared<'a> {
    name: &'a str,
    tables: &'a RunTables,
    timeline: &'a Timeline,
    is_folded: bool,
}

impl Compared<'_> {
    /// Totals of the `.stat` file.
    fn totals(&self, comparison: &mut Comparison, stat: &str) {
        let fact = |name: &str| -> i128 {
            let line = stat.lines().find(|line| line.starts_with(name)).unwrap();
            line.rsplit('=').next().unwrap().trim().parse().unwrap()
        };
        let balance = self.timeline.balance();
        let mut exact = |what: &str, ours: i64| {
            let name = format!("{}: {what}", self.name);
            comparison.exact(&name, i128::from(ours), fact(what));
        };
        exact("work (T1)", balance.work);
        exact("n_workers (P)", balance.workers);
        exact("elapsed", balance.elapsed);
        let warns = stat.contains("*** warning");
        assert_eq!(balance.imbalance() != 0, warns, "{}", self.name);
        if self.is_folded {
            self.folded_delay(fact("delay"));
            let sum = balance.delay.clone().unwrap() + balance.no_work.clone().unwrap();
            let theirs = fact("delay") + fact("no_work");
            let what = format!("{}: delay and no work", self.name);
            comparison.exact(&what, i128::from(sum), theirs);
            return;
        }
        exact("delay", balance.delay.clone().unwrap());
        exact("no_work", balance.no_work.clone().unwrap());
        let ends = |end: FragmentEnd| {
            let codes = self.tables.fragments.ended_by.values();
            codes.iter().filter(|&code| code == end as i32).count()
        };
        for (what, end) in [
            ("create_task", FragmentEnd::Creation),
            ("wait_tasks", FragmentEnd::Wait),
            ("end_task", FragmentEnd::GrainEnd),
        ] {
            exact(what, i64::try_from(ends(end)).unwrap());
        }
    }

    /// A folded subgraph is ready until its last leaf starts, says the recorder; the tables hold only when its
    /// first one did. What is then not counted as delay is counted as no work.
    fn folded_delay(&self, theirs: i128) {
        let known = FOLDED.iter().find(|known| known.0 == self.name);
        let (name, expected, ours) = known.unwrap();
        assert_eq!(theirs, *expected, "{name}");
        assert_eq!(self.timeline.balance().delay, Ok(*ours), "{name}");
    }

    /// Sums of the independent program that the recorder does not print.
    fn areas(&self, comparison: &mut Comparison, theirs: &Value) {
        let balance = self.timeline.balance();
        for (what, ours) in [
            ("running_time", balance.running),
            ("inner_delay", balance.inner_delay),
            ("oversubscribed_time", balance.oversubscribed),
        ] {
            let theirs = theirs[what].as_i64().unwrap();
            let what = format!("{}: {what}", self.name);
            comparison.exact(&what, i128::from(ours), i128::from(theirs));
        }
    }

    /// Edges between workers, as the recorder counts them: the last row and column are for workers
    /// with numbers beyond their count.
    fn matrices(&self, comparison: &mut Comparison, stat: &str) {
        let workers = usize::try_from(self.timeline.balance().workers).unwrap();
        let threads = self.tables.summary.locations.thread.values();
        let steals = self.timeline.steals().unwrap();
        let titles = [
            "end-parent",
            "create-child",
            "create-cont",
            "wait-cont",
            "other-cont",
        ];
        for ((kind, _), title) in KINDS.iter().zip(titles) {
            let mut ours = vec![vec![0_u64; workers + 1]; workers + 1];
            for ((from, to), counts) in steals.matrix.iter() {
                let place = |location: u32| {
                    usize::try_from(threads[location as usize])
                        .unwrap()
                        .min(workers)
                };
                ours[place(from)][place(to)] += counts[*kind as usize];
            }
            let lines = stat
                .lines()
                .skip_while(|line| !line.starts_with(title))
                .skip(1);
            let theirs: Vec<Vec<u64>> = lines
                .take(workers + 1)
                .map(|line| {
                    line.split_whitespace()
                        .map(|it| it.parse().unwrap())
                        .collect()
                })
                .collect();
            assert_eq!(theirs.len(), workers + 1, "{}", self.name);
            for (from, (ours, theirs)) in ours.iter().zip(&theirs).enumerate() {
                for (to, (&ours, &theirs)) in ours.iter().zip(theirs).enumerate() {
                    let what = format!("{}: {title} {from} {to}", self.name);
                    comparison.exact(&what, i128::from(ours), i128::from(theirs));
                }
            }
        }
    }

    /// Edges of the graph, and those between workers.
    fn edges(&self, comparison: &mut Comparison, theirs: &Value) {
        let steals = self.timeline.steals().unwrap();
        for (kind, name) in KINDS {
            for (what, ours) in [
                ("edges_by_kind", steals.edges),
                ("worker_change_edges", steals.moved),
            ] {
                let value = theirs[what][name].as_i64().unwrap();
                let what = format!("{}: {what} {name}", self.name);
                comparison.exact(&what, i128::from(ours[kind as usize]), i128::from(value));
            }
        }
    }

    fn last_finish(&self, comparison: &mut Comparison, theirs: &Value) {
        let ours = self.timeline.last_finish().unwrap();
        let path = &theirs["last_finish_path"];
        let mut exact = |what: &str, ours: i64, value: &Value| {
            let what = format!("{}: last finish {what}", self.name);
            comparison.exact(&what, i128::from(ours), i128::from(value.as_i64().unwrap()));
        };
        let count = i64::try_from(ours.fragments.len()).unwrap();
        exact("n_nodes", count, &path["n_nodes"]);
        exact("work", ours.work, &path["work"]);
        exact("delay", ours.delay, &path["delay"]);
        exact("first_start", ours.first_start, &path["first_start"]);
        for (kind, name) in KINDS {
            let delay = ours.delay_by[kind as usize];
            exact(name, delay, &path["delay_by_edge_kind"][name]);
        }
        let path = &theirs["dagviz_critical_path_1"];
        let mut close = |what: &str, ours: i64, value: &Value| {
            let what = format!("{}: critical path {what}", self.name);
            comparison.close(&what, ours as f64, value.as_f64().unwrap(), 0.5);
        };
        close("work", ours.work, &path["work"]);
        close("delay", ours.delay, &path["delay"]);
        // Of folded recordings it takes averages of what is not in the tables.
        if !self.is_folded {
            for (kind, name) in KINDS {
                let delay = ours.scheduler_delay[kind as usize];
                close(name, delay, &path["sched_delay_by_in_edge"][name]);
            }
            close(
                "no work",
                ours.scheduler_no_work,
                &path["sched_delay_nowork"],
            );
            close("ready", ours.scheduler_ready, &path["sched_delay_delay"]);
        }
    }

    fn gaps(&self, comparison: &mut Comparison, theirs: &Value) {
        let ours = self.timeline.gaps(self.tables).unwrap();
        let theirs = &theirs["gaps"];
        let spine = ours.spine.as_ref();
        for (name, ours) in [
            ("create_cont_all", &ours.creation_continuation),
            ("create_cont_migrated", &ours.creation_continuation_migrated),
            ("create_child_all", &ours.creation),
            ("create_child_migrated", &ours.creation_migrated),
            ("sync_all", &ours.synchronisation),
        ] {
            self.summary(comparison, name, ours.as_ref(), &theirs[name]);
        }
        let longest = &theirs["longest_spine"];
        let of_spine = spine.map(|spine| &spine.gaps);
        self.summary(comparison, "spine", of_spine, &longest["gaps"]);
        let of_spine = spine.and_then(|spine| spine.migrated.as_ref());
        self.summary(comparison, "spine migrated", of_spine, &longest["migrated"]);
    }

    fn summary(
        &self,
        comparison: &mut Comparison,
        name: &str,
        ours: Option<&Summary>,
        theirs: &Value,
    ) {
        let what = format!("{}: gaps {name}", self.name);
        comparison.exact(
            &what,
            i128::from(ours.is_some()),
            i128::from(theirs.is_object()),
        );
        let Some(ours) = ours.filter(|_| theirs.is_object()) else {
            return;
        };
        for (key, value) in [
            ("n", i64::try_from(ours.count).unwrap()),
            ("sum", ours.sum),
            ("min", ours.min),
            ("p10", ours.p10),
            ("p50", ours.p50),
            ("p90", ours.p90),
            ("p99", ours.p99),
            ("max", ours.max),
        ] {
            let what = format!("{what} {key}");
            let theirs = theirs[key].as_i64().unwrap();
            comparison.exact(&what, i128::from(value), i128::from(theirs));
        }
        comparison.close(&what, ours.mean(), theirs["mean"].as_f64().unwrap(), 0.06);
    }

    /// Averages over fifty parts.
    fn profile(&self, comparison: &mut Comparison, theirs: &Value) {
        let bins = theirs["profile"]["bins"].as_array().unwrap();
        let end = self.timeline.balance().elapsed;
        let count = u32::try_from(bins.len()).unwrap();
        let ours = self.timeline.steps().resample(0, end, count);
        for (bin, (part, theirs)) in ours.parts.iter().zip(bins).enumerate() {
            for layer in 0..6 {
                let what = format!("{}: profile {bin} {layer}", self.name);
                let theirs = theirs[layer].as_f64().unwrap();
                comparison.close(&what, ours.mean(part, layer), theirs, 5.1e-5);
            }
        }
    }

    /// The recorder's drawing: layers on each other at points in time.
    fn drawn(&self, comparison: &mut Comparison, drawn: &str) {
        if self.is_folded {
            // Its layers hold averages of what is not in the tables.
            return;
        }
        let samples = samples(self.timeline.steps(), 4000);
        let mut lines = drawn.lines().skip(1);
        for layer in 0..6 {
            for at in 0..samples.len() {
                let doubled = if at == 0 { 0..1 } else { 0..2 };
                for twice in doubled {
                    // First the values before, then those from now on.
                    let (time, now) = samples[at];
                    let values = if at > 0 && twice == 0 {
                        samples[at - 1].1
                    } else {
                        now
                    };
                    let low: u32 = values[..layer].iter().sum();
                    let theirs: Vec<f64> = lines
                        .next()
                        .unwrap()
                        .split_whitespace()
                        .map(|it| it.parse().unwrap())
                        .collect();
                    let ours = [time as f64, f64::from(low), f64::from(low + values[layer])];
                    for (ours, theirs) in ours.iter().zip(&theirs) {
                        let what = format!("{}: drawn layer {layer} at {at}", self.name);
                        comparison.close(&what, *ours, *theirs, 1e-6);
                    }
                }
            }
            assert_eq!(lines.next(), Some("e"), "{}: layer {layer}", self.name);
        }
    }

    /// `MassiveThreads` runs new tasks first, `OpenMP` and TBB go on first; nothing is stolen where one
    /// worker runs everything.
    fn policy(&self, comparison: &mut Comparison) {
        let steals = self.timeline.steals().unwrap();
        let runtime = self.name.split('/').nth(1).unwrap();
        let has_steals = steals.moved[1] + steals.moved[2] > 0;
        let expected = match runtime.split('-').next().unwrap() {
            _ if !has_steals => Policy::None,
            "mth" => Policy::WorkFirst,
            _ => Policy::HelpFirst,
        };
        comparison.values += 1;
        if steals.policy() != expected {
            let found = (steals.policy(), expected);
            comparison
                .differences
                .push(format!("{}: policy {found:?}", self.name));
        }
    }
}

/// What the recorder draws of a step function: the values before the first event behind each of
/// equally spaced times, so that short peaks are lost.
fn samples(steps: &Steps, most: usize) -> Vec<(i64, [u32; 7])> {
    let finish = steps.end();
    let mut samples = Vec::new();
    let mut now = (0, [0; 7]);
    let mut next = 0;
    for (time, values) in steps.iter() {
        if time >= next && samples.len() < most {
            let left = i64::try_from(most - 1 - samples.len()).unwrap();
            samples.push(now);
            next = if left > 0 {
                time + (finish - time) / left
            } else {
                finish + 1
            };
        }
        now = (time, values);
    }
    samples
}
