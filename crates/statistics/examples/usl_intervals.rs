//! How long the intervals of the universal scalability law take: `cargo run --release -p sheaf-statistics --example
//! usl_intervals`.
#![expect(clippy::print_stdout, reason = "the program prints what it measured")]

use std::time::Instant;

use sheaf_statistics::scaling::{RESAMPLES, Resampling, Series, Usl};
use sheaf_statistics::{Random, Sample};

fn main() {
    for runs in [5, 12, 40] {
        let mut random = Random::new(3);
        let at = |p: f64| {
            let time = 1e6 * (1.0 + 0.05 * (p - 1.0) + 0.001 * p * (p - 1.0)) / p;
            let times = (0..runs).map(|_| time * (1.0 + 0.03 * random.normal()));
            (p, Sample::new(times.collect::<Vec<_>>()))
        };
        let points = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0].map(at);
        let medians = points
            .iter()
            .filter_map(|(p, sample)| Some((*p, sample.median()?)));
        let fitted = Series::new(medians)
            .ok()
            .and_then(|series| Usl::fit(&series, false));
        let resampling = Resampling::new(&points, Random::new(1));
        let (Some(law), Some(resampling)) = (fitted, resampling) else {
            continue;
        };
        let started = Instant::now();
        let of = |law: Usl| [Some(law.sigma), Some(law.kappa), law.peak()];
        let found = resampling.intervals(0.05, RESAMPLES, |series| {
            law.refit(series, false).map_or([None; 3], of)
        });
        let near = started.elapsed();
        let started = Instant::now();
        let whole = resampling.intervals(0.05, RESAMPLES, |series| {
            Usl::fit(series, false).map_or([None; 3], of)
        });
        println!(
            "{runs} runs at each of 6 p, {RESAMPLES} resamples: {near:.0?}; with whole fits {:.0?}",
            started.elapsed()
        );
        println!("  {found:?}\n  {whole:?}");
    }
}
