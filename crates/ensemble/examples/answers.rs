//! What answers from a store cost: the first of a process, and the next ones, whose summaries are in memory.
//!
//! ```text
//! cargo run --release -p sheaf-ensemble --example answers -- STORE WHAT [LENS]
//! ```
//!
//! WHAT is `stats`, `sankey`, `grain-stats`, `similar=MEASURE`, `projection=MEASURE`, `scale=PARAMETER`,
//! `noise`, `history=PARAMETER`, `diff`, `gate` or `grain-diff`; the lens is the text of a lens, such as
//! `metric all`. Told are processor and wall seconds of the first answer and of the next, the peak of memory
//! and a hash of the answer, which is the same whatever `RAYON_NUM_THREADS` says.

#![expect(clippy::print_stdout, reason = "an example talks to people")]

use std::error::Error;
use std::fmt::Debug;
use std::hash::{DefaultHasher, Hasher as _};
use std::path::Path;
use std::time::{Duration, Instant};

use sheaf_ensemble::{
    Ensemble, GateOptions, GrainDiffQuestion, GrainMatch, HistoryOptions, HistoryOrder,
    LayoutOptions, Measure, NoiseOptions, ScaleQuestion, SimilarQuestion,
};
use sheaf_model::{Lens, Progress};

/// Next answers are asked for until so much time is spent, at least three.
const TIME: Duration = Duration::from_secs(3);
const MIN_TIMES: u32 = 3;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [store, what, rest @ ..] = words.as_slice() else {
        return Err("answers STORE WHAT [LENS]".into());
    };
    let lens: Lens = rest.join(" ").parse()?;
    let (begin, processor) = (Instant::now(), processor_seconds());
    let ensemble = Ensemble::open(Path::new(store))?;
    let first = answer(&ensemble, what, &lens, true)?;
    tell(
        "first answer",
        begin.elapsed(),
        processor_seconds() - processor,
    );
    let (begin, processor) = (Instant::now(), processor_seconds());
    let (mut times, mut least) = (0, Duration::MAX);
    while begin.elapsed() < TIME || times < MIN_TIMES {
        let before = Instant::now();
        answer(&ensemble, what, &lens, false)?;
        least = least.min(before.elapsed());
        times += 1;
    }
    let mean = (processor_seconds() - processor) / f64::from(times);
    tell("next answers", least, mean);
    println!(
        "mean of {times}; hash {first:016x}, {} threads",
        rayon::current_num_threads()
    );
    for line in std::fs::read_to_string("/proc/self/status")?.lines() {
        if line.starts_with("VmHWM") {
            println!("{line}");
        }
    }
    Ok(())
}

fn tell(what: &str, wall: Duration, processor: f64) {
    let wall = wall.as_secs_f64() * 1e3;
    println!(
        "{what}: {:.1} ms of processor time, {wall:.1} ms of wall time",
        processor * 1e3
    );
}

/// Asks, and hashes the answer's text when wanted, which has every digit of every number.
fn answer(
    ensemble: &Ensemble,
    what: &str,
    lens: &Lens,
    is_hashed: bool,
) -> Result<u64, Box<dyn Error>> {
    let view = ensemble.view(&Progress::silent())?;
    let (what, of) = what.split_once('=').unwrap_or((what, ""));
    let hash = |answer: &dyn Debug| if is_hashed { hash(answer) } else { 0 };
    let similar = || -> Result<SimilarQuestion, Box<dyn Error>> {
        Ok(SimilarQuestion {
            lens: lens.clone(),
            ..SimilarQuestion::new(measure(of)?)
        })
    };
    Ok(match what {
        "stats" => hash(&view.stats(lens)?),
        "sankey" => hash(&view.sankey(lens, &LayoutOptions::default())?),
        "grain-stats" => hash(&view.grain_stats(lens)?),
        "similar" => hash(&view.similar(&similar()?)?),
        "projection" => hash(&view.projection(&similar()?)?),
        "scale" => hash(&view.scale(lens, &ScaleQuestion::new(of))?),
        "noise" => hash(&view.noise(lens, &NoiseOptions::default())?),
        "diff" => hash(&view.diff(lens)?),
        "gate" => hash(&view.gate(lens, &GateOptions::default())?),
        "history" => {
            let (order, options) = (HistoryOrder::default(), HistoryOptions::default());
            let lens = Lens {
                by: vec![of.to_owned()],
                ..lens.clone()
            };
            hash(&view.history(&lens, &order, &options)?)
        }
        "grain-diff" => {
            let question = GrainDiffQuestion {
                selection: GrainMatch::All,
                offset: 0,
                limit: Some(30),
            };
            hash(&view.grain_diff(lens, &question)?)
        }
        other => return Err(format!("no such question: {other}").into()),
    })
}

fn measure(name: &str) -> Result<Measure, String> {
    let found = Measure::ALL
        .into_iter()
        .find(|measure| measure.as_str() == name);
    found.ok_or_else(|| format!("no such measure: {name}"))
}

fn hash(answer: &dyn Debug) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(format!("{answer:?}").as_bytes());
    hasher.finish()
}

/// Processor seconds of all threads there are; 0 where the system does not provide it.
fn processor_seconds() -> f64 {
    let Ok(threads) = std::fs::read_dir("/proc/self/task") else {
        return 0.0;
    };
    let nanoseconds = threads.filter_map(|thread| {
        let text = std::fs::read_to_string(thread.ok()?.path().join("schedstat")).ok()?;
        text.split_whitespace().next()?.parse::<u64>().ok()
    });
    nanoseconds.sum::<u64>() as f64 / 1e9
}
