//! Small runs written as text.
//!
//! ```text
//! member 0 sequence=0 index=1 run=w1:10+5,wait barrier=15+45
//! ```
//!
//! A line is a grain, numbered from 0: its kind (`initial`, `member`, `task`, `chunk`), the number of its
//! parent or `-`, and what is known of it. `run=w1:10+5,wait` is a stretch on worker 1 from 10 for 5
//! that ends with a wait.

use sheaf_model::table::{
    DependenceRow, FragmentRow, GrainKind, GrainRow, LocationRow, WaitRow, flags,
};
use sheaf_model::{RunMeta, RunSummary, RunTables};

const ENDS: [&str; 6] = ["end", "create", "wait", "switch", "enter", "cut"];

/// One line.
struct Line<'a> {
    row: i32,
    words: Vec<&'a str>,
}

impl<'a> Line<'a> {
    fn all(&self, name: &str) -> Vec<&'a str> {
        let words = self.words.iter();
        words
            .filter_map(|word| word.strip_prefix(name)?.strip_prefix('='))
            .collect()
    }

    fn get(&self, name: &str) -> Option<i64> {
        self.all(name).first().map(|it| it.parse().unwrap())
    }

    fn fragments(&self) -> Vec<FragmentRow> {
        let fragment = |word: &str| {
            let (worker, rest) = word[1..].split_once(':').unwrap();
            let (times, end) = rest.split_once(',').unwrap_or((rest, "end"));
            let (start, duration) = pair(times);
            let ended_by = ENDS.iter().position(|known| *known == end).unwrap();
            FragmentRow {
                grain: self.row,
                location: worker.parse().unwrap(),
                start,
                duration,
                ended_by: i32::try_from(ended_by).unwrap(),
            }
        };
        self.all("run").into_iter().map(fragment).collect()
    }

    fn waits(&self) -> Vec<WaitRow> {
        let mut waits = Vec::new();
        for (name, kind) in [("wait", 0), ("barrier", 2), ("region", 4)] {
            waits.extend(
                self.all(name)
                    .into_iter()
                    .map(pair)
                    .map(|(start, duration)| WaitRow {
                        grain: self.row,
                        kind,
                        start,
                        duration,
                        line: None,
                    }),
            );
        }
        waits
    }

    fn dependences(&self) -> Vec<DependenceRow> {
        let dependence = |before: &str| DependenceRow {
            predecessor: before.parse().unwrap(),
            successor: self.row,
        };
        self.all("after").into_iter().map(dependence).collect()
    }

    fn grain(&self) -> GrainRow {
        let own = self.fragments();
        let work = own.iter().map(|run| run.duration).sum();
        GrainRow {
            path_key: i64::from(self.row),
            parent: self.words[1].parse().ok(),
            kind: match self.words[0] {
                "initial" => GrainKind::Initial,
                "member" => GrainKind::Implicit,
                "chunk" => GrainKind::Chunk,
                _ => GrainKind::Task,
            } as i32,
            flags: match self.words[0] {
                "folded" => flags::COLLAPSED,
                "undeferred" => flags::UNDEFERRED,
                _ => 0,
            },
            sequence: self.get("sequence"),
            index: self.get("index").unwrap_or(i64::from(self.row)),
            joined_by: self.get("joined"),
            location: own.last().map(|run| run.location),
            created: self.get("created"),
            start: own.first().map(|run| run.start),
            end: (self.get("end")).or(own.last().map(|run| run.start + run.duration)),
            work: self.get("work").or(Some(work)),
            ..GrainRow::default()
        }
    }
}

/// `10+5`.
fn pair(word: &str) -> (i64, i64) {
    let (start, length) = word.split_once('+').unwrap();
    (start.parse().unwrap(), length.parse().unwrap())
}

/// The tables of a run on two workers.
pub(crate) fn run(text: &str) -> RunTables {
    let mut meta = RunMeta::new("program", "text");
    meta.workers = Some(2);
    let mut summary = RunSummary::empty(meta);
    let location = |thread| LocationRow {
        rank: 0,
        thread,
        core: None,
        numa_node: None,
    };
    summary.locations = (0..2).map(location).collect();
    let mut run = RunTables::without_grains(summary);
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let lines: Vec<Line<'_>> = (0..)
        .zip(lines)
        .map(|(row, line)| Line {
            row,
            words: line.split_whitespace().collect(),
        })
        .collect();
    run.grains = lines.iter().map(Line::grain).collect();
    run.fragments = lines.iter().flat_map(Line::fragments).collect();
    run.waits = lines.iter().flat_map(Line::waits).collect();
    run.dependences = lines.iter().flat_map(Line::dependences).collect();
    run
}

/// The tables of a run on worker 0, and on a helper of the runtime as `w1`.
pub(crate) fn run_with_helper(text: &str) -> RunTables {
    let mut run = run(text);
    run.summary.meta_mut().workers = Some(1);
    let location = |thread| LocationRow {
        rank: 0,
        thread,
        core: None,
        numa_node: None,
    };
    run.summary.locations = [0, -1].map(location).into_iter().collect();
    run
}
