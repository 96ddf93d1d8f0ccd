//! Statistics as the recorder writes them.

use std::fmt::Write as _;

use super::{EdgeMatrix, Statistics};

/// Workers beyond which no matrices are written.
const MOST_WORKERS: i64 = 4096;

const MATRICES: [&str; 5] = [
    "end-parent",
    "create-child",
    "create-cont",
    "wait-cont",
    "other-cont",
];

impl Statistics {
    /// The text of a `.stat` file.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        let [creates, waits, _, ends] = self.logical_nodes;
        let integers = [
            ("create_task", creates),
            ("wait_tasks", waits),
            ("end_task", ends),
            ("work (T1)", self.work),
            ("delay", self.delay),
            ("no_work", self.no_work),
            ("critical_path (T_inf)", self.span),
            ("n_workers (P)", self.workers),
            ("elapsed", self.elapsed),
        ];
        for (name, value) in integers {
            line(&mut text, name, &value);
        }
        self.write_warning(&mut text);
        let intervals: i64 = self.logical_nodes.iter().sum();
        let (work, workers) = (self.work as f64, self.workers as f64);
        let greedy = work / workers + self.span as f64;
        let elapsed = self.elapsed as f64;
        let ratios = [
            ("T1/P", work / workers),
            ("T1/P+T_inf", greedy),
            ("T1/T_inf", work / self.span as f64),
            ("greedy speedup", work / greedy),
            ("observed speedup", work / elapsed),
            ("observed/greedy", greedy / elapsed),
            ("task granularity", self.running as f64 / creates as f64),
            (
                "interval granularity",
                self.running as f64 / intervals as f64,
            ),
        ];
        for (name, value) in ratios {
            line(&mut text, name, &format!("{value:.3}"));
        }
        let nodes = self.logical_size();
        line(&mut text, "dag nodes", &nodes);
        line(&mut text, "materialized nodes", &self.materialized);
        let ratio = self.materialized as f64 / nodes as f64;
        line(&mut text, "compression ratio", &format!("{ratio:.6}"));
        for (name, matrix) in MATRICES.iter().zip(&self.matrices) {
            text.push_str(name);
            text.push_str(" edges:\n");
            self.write_matrix(&mut text, matrix);
        }
        text
    }

    /// Says so where more ran at a time than there are workers.
    fn write_warning(&self, text: &mut String) {
        let sum = i128::from(self.work) + i128::from(self.delay) + i128::from(self.no_work);
        let workers = i128::from(self.workers);
        if sum != workers * i128::from(self.elapsed) && workers != 0 {
            let share = sum / workers;
            let name = "*** warning (running + delay + no_work) / n_workers";
            // Writing to a text cannot fail.
            let _ = writeln!(text, "{name} = {share} != elapsed_time");
        }
    }

    /// A row per worker and a last one for several. Recorders number workers as they come, but
    /// count only those that recorded something: an edge of the worker whose number is the
    /// count is then in the last row, and so it is here.
    fn write_matrix(&self, text: &mut String, matrix: &EdgeMatrix) {
        let workers = self.workers.clamp(0, MOST_WORKERS);
        let workers = i32::try_from(workers).unwrap_or(0);
        let row = |worker: i32| {
            if (0..workers).contains(&worker) {
                worker
            } else {
                workers
            }
        };
        let mut folded = EdgeMatrix::new();
        for (&(source, target), &count) in matrix {
            *folded.entry((row(source), row(target))).or_default() += count;
        }
        for source in 0..=workers {
            for target in 0..=workers {
                let count = folded.get(&(source, target)).copied().unwrap_or(0);
                let _ = write!(text, " {count}");
            }
            text.push('\n');
        }
    }
}

fn line(text: &mut String, name: &str, value: &dyn std::fmt::Display) {
    // Writing to a text cannot fail.
    let _ = writeln!(text, "{name:<21} = {value}");
}
