//! What comparing runs grain by grain costs: wall and processor seconds of matching, differences and order.
//!
//! ```text
//! cargo run --release -p sheaf-compare --example grain_diff -- 100000 1 [shuffled] [FOLDER]
//! ```
//!
//! Grains per run, and runs on the candidate's side. Of each run one grain in fifty is missing and one in
//! fifty is its own. With `shuffled` rows are in an order of their own in every run; else in that of the
//! program, as in a store. With a folder the columns are written there as CSV, for other tools.

#![expect(clippy::print_stdout, reason = "an example talks to people")]

use std::io::Write as _;
use std::time::Instant;

use arrow::array::{Int32Array, Int64Array};
use sheaf_answers::GrainMatch;
use sheaf_compare::grain_diff::{GrainColumns, GrainDiffer};
use sheaf_model::{DefinitionId, RunId};
use sheaf_synthetic::Numbers;
use sheaf_synthetic::processor_seconds;

const DEFINITIONS: u32 = 20;
/// Repetitions last so many seconds: the minimum of wall time and the mean processor time are printed.
const SECONDS: f64 = 3.0;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let mut numbers = words.iter().filter_map(|word| word.parse::<u32>().ok());
    let grains = numbers.next().unwrap_or(100_000);
    let candidates = numbers.next().unwrap_or(1);
    let is_shuffled = words.iter().any(|word| word == "shuffled");
    let runs: Vec<(GrainColumns, [bool; 2])> = (0..=candidates)
        .map(|number| (run(number, grains, is_shuffled), [number == 0, number > 0]))
        .collect();
    let folder = words.iter().find(|word| word.contains('/'));
    if let Some(folder) = folder {
        let written = write(folder, &runs);
        println!("{folder}: {written:?}");
    }
    let mut least = [f64::INFINITY; 3];
    let mut text = String::new();
    let (processor, begin, mut times) = (processor_seconds(), Instant::now(), 0);
    while begin.elapsed().as_secs_f64() < SECONDS {
        times += 1;
        let before = Instant::now();
        let mut differ = GrainDiffer::new([1, candidates as usize]);
        differ.add(&runs);
        let matched = before.elapsed().as_secs_f64();
        let answer = differ.finish();
        let finished = before.elapsed().as_secs_f64();
        let page = answer.page(GrainMatch::All, 0, 30);
        let sorted = before.elapsed().as_secs_f64();
        let spent = [matched, finished, sorted];
        for (least, spent) in least.iter_mut().zip(spent) {
            *least = least.min(spent);
        }
        let total = answer.total();
        text = format!(
            "{} on both sides, {:?} on one, work {:?}, greatest change {:?}",
            total.matched,
            [total.only_a, total.only_b],
            [total.a, total.b],
            page.first().and_then(|row| row.delta)
        );
    }
    println!("{text}");
    let names = [
        "matched and summed",
        "with definitions",
        "with the first page",
    ];
    for (name, seconds) in names.iter().zip(least) {
        println!("{:>10.3} ms  {name}", seconds * 1e3);
    }
    let mean = (processor_seconds() - processor) / f64::from(times);
    println!("{:>10.3} ms  processor time, mean of {times}", mean * 1e3);
}

/// A run whose grains have keys that look like hashes.
fn run(number: u32, grains: u32, is_shuffled: bool) -> GrainColumns {
    let mut random = Numbers::new(u64::from(number) + 1);
    let mut rows: Vec<(i64, u32, i64)> = Vec::with_capacity(grains as usize);
    for grain in 0..grains {
        let own = random.below(50);
        // Of the first run everything is there.
        let path = match own {
            0 if number > 0 => continue,
            1 if number > 0 => (u64::from(number) << 32) | u64::from(grain),
            _ => u64::from(grain),
        };
        let key = Numbers::new(path).hash();
        let work = 1_000 + i64::from(random.below(100_000));
        rows.push((key, grain / (grains / DEFINITIONS).max(1), work));
    }
    if is_shuffled {
        for last in (1..rows.len()).rev() {
            let other = random.below(u32::try_from(last).unwrap_or(0) + 1) as usize;
            rows.swap(last, other);
        }
    }
    let length = rows.len();
    let wide = |of: fn(&(i64, u32, i64)) -> i64| -> Int64Array {
        Int64Array::from_iter_values(rows.iter().map(of))
    };
    GrainColumns {
        run: RunId(u128::from(number).to_be_bytes()),
        definitions: (0..=DEFINITIONS)
            .map(|number| DefinitionId(u128::from(number).to_be_bytes()))
            .collect(),
        context: rows.iter().map(|row| i32::try_from(row.1).ok()).collect(),
        path_key: wide(|row| row.0),
        kind: Int32Array::from_value(2, length),
        flags: Int32Array::from_value(0, length),
        work: wide(|row| row.2),
        lifetime: wide(|row| 2 * row.2),
        delay: wide(|row| row.2 % 1_000),
        through: Vec::new(),
    }
}

fn write(folder: &str, runs: &[(GrainColumns, [bool; 2])]) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let file = std::fs::File::create(format!("{folder}/grains.csv"))?;
    let mut out = std::io::BufWriter::new(file);
    writeln!(out, "run,key,definition,work,lifetime,delay")?;
    for (number, (run, _)) in runs.iter().enumerate() {
        for row in 0..run.len() {
            writeln!(
                out,
                "{number},{},{},{},{},{}",
                run.path_key.value(row),
                run.context.value(row),
                run.work.value(row),
                run.lifetime.value(row),
                run.delay.value(row)
            )?;
        }
    }
    out.flush()
}
