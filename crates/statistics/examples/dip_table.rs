//! Simulates the table of the dip's distribution: prints `src/dip/table.rs`.
#![expect(clippy::print_stdout, reason = "the table is printed")]

use rayon::prelude::*;
use sheaf_statistics::{Random, Sample, dip};

const SIZES: [usize; 26] = [
    4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 16, 18, 20, 25, 30, 40, 50, 70, 100, 150, 200, 300, 500,
    1000, 2000, 5000,
];
const LEVELS: [f64; 20] = [
    0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.998,
    0.999, 0.9995, 0.9999,
];
/// Simulations of a size, until their values are this many.
const VALUES: usize = 400_000_000;
const MOST: usize = 1_000_000;

/// √n dip of uniform values; sums of exponentials are sorted and uniform up to their scale.
fn one(size: usize, number: usize) -> f64 {
    let mut random = Random::keyed(1, &["dip", &size.to_string(), &number.to_string()]);
    let mut sum = 0.0;
    let values = (0..size).map(|_| {
        sum += -random.unit().ln();
        sum
    });
    let dip = dip(&Sample::new(values)).map_or(f64::NAN, |dip| dip.dip);
    dip * (size as f64).sqrt()
}

fn main() {
    println!("//! Quantiles of √n dip of n uniform values, printed by the example `dip_table`.");
    println!("\n/// Shares of dips below the quantiles.");
    let levels: Vec<String> = LEVELS.iter().map(ToString::to_string).collect();
    println!(
        "pub(super) const LEVELS: [f64; {}] = [{}];",
        LEVELS.len(),
        levels.join(", ")
    );
    println!("\n/// Numbers of values and their quantiles.");
    println!("#[expect(clippy::unreadable_literal, reason = \"printed by a program\")]");
    println!("pub(super) const TABLE: &[(f64, [f64; LEVELS.len()])] = &[");
    for size in SIZES {
        let simulations = (VALUES / size).min(MOST);
        let dips: Vec<f64> = (0..simulations)
            .into_par_iter()
            .map(|number| one(size, number))
            .collect();
        let dips = Sample::new(dips);
        let quantiles = LEVELS.iter().filter_map(|&level| dips.quantile(level));
        let quantiles: Vec<String> = quantiles.map(|value| format!("{value:.6}")).collect();
        println!("    ({size}.0, [{}]),", quantiles.join(", "));
    }
    println!("];");
}
