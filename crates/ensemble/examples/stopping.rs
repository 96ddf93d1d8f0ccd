//! Measures how soon questions stop: it asks each with deadlines from early to late, of a store opened anew.
//!
//! ```text
//! cargo run --release -p sheaf-ensemble --example stopping -- STORE [RUN]
//! ```
//!
//! With RUN the questions are those about one run, else those about an ensemble. Each line gives the wall time of the whole
//! answer, the longest time from a deadline to the question's end in milliseconds, and the deadline at which it was seen.

#![expect(clippy::print_stdout, reason = "an example prints its result")]

use std::error::Error as StdError;
use std::path::Path;
use std::time::{Duration, Instant};

use sheaf_ensemble::{
    Ensemble, Error, GateOptions, GrainsQuestion, GroupsQuestion, LayoutOptions, Measure,
    NoiseOptions, PathScope, ScaleQuestion, SimilarQuestion, ThresholdSet, TreeChoice, View,
    Window,
};
use sheaf_model::{Lens, Progress};

/// Deadlines that are tried for each question.
const DEADLINES: u32 = 12;

type Ask<'a> = Box<dyn Fn(&View<'_>) -> Result<(), Error> + 'a>;

fn main() -> Result<(), Box<dyn StdError>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (store, questions) = match words.as_slice() {
        [store, run] => (store, about_run(run)),
        [store] => (store, about_ensemble()?),
        _ => return Err("stopping STORE [RUN]".into()),
    };
    let store = Path::new(store);
    for (name, ask) in questions {
        let begin = Instant::now();
        Ensemble::open(store)?.ask(&Progress::silent(), &ask)?;
        let whole = begin.elapsed();
        let (mut late, mut at) = (Duration::ZERO, Duration::ZERO);
        for number in 0..DEADLINES {
            let limit = whole * number / DEADLINES;
            let ensemble = Ensemble::open(store)?;
            let begin = Instant::now();
            let answer = ensemble.ask(&Progress::silent().with_deadline(limit), &ask);
            let over = begin.elapsed().saturating_sub(limit);
            if answer.is_err() && over > late {
                (late, at) = (over, limit);
            }
        }
        println!(
            "{name:14} whole {:6.0} ms, stops after {:4.0} ms (deadline {:.0} ms)",
            whole.as_secs_f64() * 1e3,
            late.as_secs_f64() * 1e3,
            at.as_secs_f64() * 1e3
        );
    }
    Ok(())
}

fn about_run(run: &str) -> Vec<(&'static str, Ask<'_>)> {
    let whole = || Window {
        start: None,
        end: None,
        parts: 500,
    };
    let sorted = GrainsQuestion {
        sort: Some("inst_par".to_owned()),
        limit: Some(100),
        ..GrainsQuestion::default()
    };
    let page = GrainsQuestion {
        limit: Some(100),
        ..GrainsQuestion::default()
    };
    vec![
        (
            "grains",
            Box::new(move |view| view.grains(run, &page).map(drop)),
        ),
        (
            "grains sorted",
            Box::new(move |view| view.grains(run, &sorted).map(drop)),
        ),
        (
            "problems",
            Box::new(move |view| view.problems(run, &[], ThresholdSet::Paper, None).map(drop)),
        ),
        (
            "paths",
            Box::new(move |view| view.paths(run, &PathScope::Run, None).map(drop)),
        ),
        (
            "groups",
            Box::new(move |view| view.groups(run, &GroupsQuestion::default()).map(drop)),
        ),
        ("loops", Box::new(move |view| view.loops(run).map(drop))),
        (
            "timeline",
            Box::new(move |view| view.timeline(run, &whole()).map(drop)),
        ),
        (
            "parallelism",
            Box::new(move |view| view.parallelism(run, &whole()).map(drop)),
        ),
        (
            "scheduling",
            Box::new(move |view| view.scheduling(run).map(drop)),
        ),
        (
            "separated tree",
            Box::new(move |view| {
                let choice = TreeChoice {
                    is_separated: true,
                    ..TreeChoice::default()
                };
                let question = GroupsQuestion {
                    choice,
                    ..GroupsQuestion::default()
                };
                view.groups(run, &question).map(drop)
            }),
        ),
    ]
}

fn about_ensemble() -> Result<Vec<(&'static str, Ask<'static>)>, Box<dyn StdError>> {
    let lens: Lens = "metric all".parse()?;
    let halves: Lens = "diff 'size <= 4' to 'size > 4'".parse()?;
    let by_version: Lens = "by version".parse()?;
    let similar = |measure| SimilarQuestion::new(measure);
    Ok(vec![
        (
            "runs",
            Box::new(|view| view.runs(&Lens::default()).map(drop)),
        ),
        ("stats", Box::new(move |view| view.stats(&lens).map(drop))),
        (
            "sankey",
            Box::new(|view| {
                view.sankey(&Lens::default(), &LayoutOptions::default())
                    .map(drop)
            }),
        ),
        ("diff", {
            let lens = halves.clone();
            Box::new(move |view| view.diff(&lens).map(drop))
        }),
        (
            "gate",
            Box::new(move |view| view.gate(&halves, &GateOptions::default()).map(drop)),
        ),
        (
            "noise",
            Box::new(move |view| view.noise(&by_version, &NoiseOptions::default()).map(drop)),
        ),
        (
            "scale",
            Box::new(|view| {
                view.scale(&Lens::default(), &ScaleQuestion::new("size"))
                    .map(drop)
            }),
        ),
        (
            "similar",
            Box::new(move |view| view.similar(&similar(Measure::Structure)).map(drop)),
        ),
        (
            "by metrics",
            Box::new(move |view| view.similar(&similar(Measure::Metrics)).map(drop)),
        ),
        (
            "projection",
            Box::new(move |view| view.projection(&similar(Measure::Metrics)).map(drop)),
        ),
    ])
}
