//! Distribution of the dip of uniform values, from a simulated table.

use super::table::{LEVELS, TABLE};

/// Chance that `count` uniform values have a dip of at passed `dip`, from a table that
/// `cargo run --release -p sheaf-statistics --example dip_table` simulates: linear between its
/// sizes and levels on the scale of √n dip, on which it hardly depends on the size; sizes above
/// the greatest count as that one. Wrong by less than 0.005, and never below the table's least,
/// 0.0001.
pub fn dip_p(dip: f64, count: usize) -> f64 {
    let size = count as f64;
    let (Some(first), Some(last)) = (TABLE.first(), TABLE.last()) else {
        return 1.0;
    };
    let above = TABLE
        .partition_point(|row| row.0 < size)
        .min(TABLE.len() - 1);
    let (lower, upper) = (TABLE[above.saturating_sub(1)], TABLE[above]);
    let weight = if size <= first.0 || size >= last.0 {
        1.0
    } else {
        (size - lower.0) / (upper.0 - lower.0)
    };
    let wanted = dip * size.sqrt();
    // The least dip there is has chance 1.
    let (mut passed, mut chance) = (0.5 / size.sqrt(), 1.0);
    if wanted <= passed * (1.0 + 1e-9) {
        return 1.0;
    }
    for (column, share) in LEVELS.into_iter().enumerate() {
        let own = |row: (f64, [f64; LEVELS.len()])| row.1[column];
        let quantile = own(lower) + weight * (own(upper) - own(lower));
        if quantile >= wanted {
            let part = (wanted - passed) / (quantile - passed);
            return chance + part * (1.0 - share - chance);
        }
        (passed, chance) = (quantile, 1.0 - share);
    }
    chance
}
