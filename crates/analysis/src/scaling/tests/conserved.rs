//! What holds of every study: parts add up, and nothing depends on order or threads.

use std::fmt::Write as _;

use proptest::prelude::*;

use super::*;

/// Runs of two programs on 1, 2, 3 and 5 ranks; floats for one, integers for the other.
fn study(values: &[u32], is_float: bool) -> Vec<Arc<RunSummary>> {
    let kind = if is_float {
        "metric time_us us additive float\n"
    } else {
        "metric time_us us additive\n"
    };
    let mut text = kind.to_owned();
    let mut values = values.iter().cycle().map(|value| {
        if is_float {
            f64::from(*value) / 7.0
        } else {
            f64::from(*value)
        }
    });
    for (number, ranks) in [1, 2, 3, 5, 1, 2, 3, 5].into_iter().enumerate() {
        let variant = if number < 4 { "x" } else { "y" };
        writeln!(
            text,
            "run r{number} variant={variant} _ranks={ranks} _workers={ranks}"
        )
        .unwrap();
        for path in [
            "main",
            "main/solve",
            "main/solve/MPI_Send",
            "main/solve/MPI_Send/copy",
        ] {
            let cells = (0..ranks).map(|rank| format!("{}@{rank}", values.next().unwrap()));
            let cells: Vec<String> = cells.collect();
            writeln!(text, "{path} time_us {}", cells.join(" ")).unwrap();
        }
    }
    runs(&text)
}

proptest! {
    /// Rows add up to their area, and groups to the whole, to the last bit.
    #[test]
    fn parts_add_up(
        values in proptest::collection::vec(1..u32::MAX, 5..40), is_float in any::<bool>(),
        over in prop_oneof![Just("mean"), Just("max"), Just("sum")],
    ) {
        let lens = format!("metric time_us | over ranks={over}");
        let found = answer(&lens, "ranks", &study(&values, is_float));
        prop_assert_eq!(found.series.len(), 2);
        prop_assert_eq!(found.loss.iter().filter(|row| row.group.is_none()).count(), 8);
        for row in &found.loss {
            let parts = [Some(row.ideal), Some(row.inflation), row.overhead, row.idle, row.unexplained];
            prop_assert_eq!(parts.iter().flatten().sum::<f64>(), row.area);
        }
        for whole in found.loss.iter().filter(|row| row.group.is_none()) {
            let of_groups = |part: fn(&ScaleLoss) -> f64| {
                let groups = found.loss.iter().filter(|row| {
                    row.group.is_some() && row.series == whole.series && row.p == whole.p
                });
                groups.map(part).sum::<f64>()
            };
            prop_assert_eq!(of_groups(|row| row.ideal), whole.ideal);
            prop_assert_eq!(of_groups(|row| row.inflation), whole.inflation);
            prop_assert_eq!(of_groups(|row| row.overhead.unwrap_or(0.0)), whole.overhead.unwrap());
        }
    }

    /// Any order of runs and any number of threads give the same bits.
    #[test]
    fn order_and_threads_change_nothing(
        values in proptest::collection::vec(1..u32::MAX, 5..40), seed in any::<u64>(),
    ) {
        let mut runs = study(&values, true);
        let expected = format!("{:?}", answer("metric time_us", "ranks", &runs));
        // Some permutation.
        let mut state = seed;
        for place in (1..runs.len()).rev() {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            runs.swap(place, usize::try_from(state >> 33).unwrap() % (place + 1));
        }
        for threads in [1, 2, 8] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let found = pool.install(|| answer("metric time_us", "ranks", &runs));
            prop_assert_eq!(format!("{found:?}"), expected.clone());
        }
    }
}
