//! What is computed of simulated runs against brute force, and that it depends on no order.

use proptest::prelude::*;

use sheaf_model::Progress;
use sheaf_statistics::Random;

use super::simulation::{Ran, Simulated, simulate};
use crate::grain_graph::Structure;
use crate::timeline::steps::Cut;
use crate::timeline::{LAYERS, Timeline, Workers};

/// Rows in order, workers as they are.
fn identity(simulated: &Simulated) -> (Vec<usize>, Vec<i32>) {
    let workers = i32::try_from(simulated.workers).unwrap();
    (
        (0..simulated.parents.len()).collect(),
        (0..workers).collect(),
    )
}

/// Values of the layers at a time, by counting.
fn count(ran: &[Ran], time: i64) -> [u32; LAYERS] {
    let mut values = [0; LAYERS];
    for ran in ran {
        values[0] += u32::from(ran.start <= time && time < ran.end);
        values[1 + ran.by as usize] += u32::from(ran.ready <= time && time < ran.start);
    }
    values
}

/// Work, delay, no work by looking at every unit of time.
fn balance(ran: &[Ran], workers: i64) -> (i64, i64, i64) {
    let end = ran.iter().map(|ran| ran.end).max().unwrap();
    let mut sums = (0, 0, 0);
    for time in 0..end {
        let [running, ready @ ..] = count(ran, time).map(i64::from);
        let ready: i64 = ready.iter().sum();
        let idle = workers - running;
        sums.0 += running;
        sums.1 += ready.min(idle);
        sums.2 += idle - ready.min(idle);
    }
    sums
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn ready_times_balance_and_steps_are_those_of_the_simulation(
        seed in any::<u64>(),
        tasks in 1_usize..40,
        workers in 1_u64..5,
        is_recorded in any::<bool>(),
    ) {
        let simulated = simulate(seed, tasks, workers, i64::from(!is_recorded));
        let (order, names) = identity(&simulated);
        let tables = simulated.tables(&order, &names, is_recorded);
        let structure = Structure::of(&tables);
        let timeline = Timeline::of(&tables, &structure).unwrap();
        let ran: Vec<Ran> = simulated.in_order(&order).copied().collect();
        for (fragment, ran) in (0..).zip(&ran) {
            let ready = timeline.ready(fragment).unwrap();
            prop_assert_eq!(ready, Some((ran.ready, ran.by)), "fragment {}", fragment);
        }
        let found = timeline.balance();
        let (work, delay, no_work) = balance(&ran, found.workers);
        prop_assert_eq!(found.work, work);
        prop_assert_eq!(found.delay.clone(), Ok(delay));
        prop_assert_eq!(found.no_work.clone(), Ok(no_work));
        prop_assert_eq!(work + delay + no_work, found.workers * found.elapsed);
        prop_assert_eq!(found.imbalance(), 0);
        prop_assert!(found.faults().is_empty());
        prop_assert_eq!(timeline.steps().area(0), i128::from(work));
        for time in -1..=found.elapsed + 1 {
            prop_assert_eq!(timeline.steps().at(time), count(&ran, time), "at {}", time);
        }
    }

    #[test]
    fn the_streamed_balance_is_that_of_the_time_line(
        seed in any::<u64>(),
        tasks in 1_usize..200,
        is_recorded in any::<bool>(),
        (at_once, block) in (1_u64..50, 1_usize..20),
    ) {
        let simulated = simulate(seed, tasks, 3, i64::from(!is_recorded));
        let tables = simulated.tables(&identity(&simulated).0, &[2, 0, 1], is_recorded);
        let shuffled = simulated.shuffled(&mut Random::new(seed ^ 1));
        let shuffled = simulated.tables(&shuffled, &[0, 1, 2], is_recorded);
        for tables in [&tables, &shuffled] {
            let structure = Structure::of(tables);
            let timeline = Timeline::of(tables, &structure).unwrap();
            let progress = Progress::silent();
            let cut = Cut { at_once, block };
            let streamed = Timeline::cut_balance(tables, &structure, &progress, cut).unwrap();
            prop_assert_eq!(streamed.as_ref(), Ok(timeline.balance()));
            let streamed = Timeline::balance_of(tables, &structure, &progress).unwrap();
            prop_assert_eq!(streamed.as_ref(), Ok(timeline.balance()));
        }
    }

    #[test]
    fn resampled_parts_are_those_of_counting(
        seed in any::<u64>(),
        tasks in 1_usize..200,
        (start, length, parts) in (-20_i64..300, 1_i64..2_000, 1_u32..40),
    ) {
        let simulated = simulate(seed, tasks, 3, 0);
        let (order, names) = identity(&simulated);
        let tables = simulated.tables(&order, &names, true);
        let structure = Structure::of(&tables);
        let timeline = Timeline::of(&tables, &structure).unwrap();
        let steps: Vec<(i64, [u32; LAYERS])> = timeline.steps().iter().collect();
        let found = timeline.steps().resample(start, start + length, parts);
        prop_assert_eq!(found.parts.len(), parts as usize);
        let scale = i128::from(parts);
        // In parts of a unit, so that bounds are whole numbers.
        let held = steps.iter().enumerate().map(|(at, (time, values))| {
            let end = steps.get(at + 1).map_or(i64::MAX, |next| next.0);
            (i128::from(*time) * scale, i128::from(end) * scale, *values)
        });
        let before = (i128::MIN, i128::from(steps[0].0) * scale, [0; LAYERS]);
        let held: Vec<_> = std::iter::once(before).chain(held).collect();
        for (at, part) in (0..).zip(&found.parts) {
            let from = i128::from(start) * scale + at * i128::from(length);
            let to = from + i128::from(length);
            let inside = held.iter().filter(|(begin, end, _)| *begin < to && *end > from);
            for layer in 0..LAYERS {
                let values = inside.clone().map(|(.., values)| values[layer]);
                prop_assert_eq!(Some(part.min[layer]), values.clone().min());
                prop_assert_eq!(Some(part.max[layer]), values.max());
                let area: i128 = inside
                    .clone()
                    .map(|(begin, end, values)| {
                        ((*end).min(to) - (*begin).max(from)) * i128::from(values[layer])
                    })
                    .sum();
                prop_assert_eq!(part.scaled_area[layer], area);
            }
        }
    }

    #[test]
    fn workers_are_busy_or_idle(
        seed in any::<u64>(),
        tasks in 1_usize..200,
        (start, length, parts) in (-20_i64..300, 1_i64..2_000, 1_u32..40),
    ) {
        let simulated = simulate(seed, tasks, 3, 0);
        let (order, names) = identity(&simulated);
        let tables = simulated.tables(&order, &names, true);
        let structure = Structure::of(&tables);
        let timeline = Timeline::of(&tables, &structure).unwrap();
        let workers = Workers::of(&tables, timeline.balance().elapsed).unwrap();
        prop_assert_eq!(workers.len(), 3);
        prop_assert_eq!(workers.overlaps(), 0);
        let mut busy = 0;
        for worker in 0..3 {
            let idle: i64 = workers.idle(worker).map(|(from, to)| to - from).sum();
            prop_assert_eq!(workers.busy(worker) + idle, timeline.balance().elapsed);
            busy += workers.busy(worker);
            let intervals: Vec<_> = workers.intervals(worker).collect();
            prop_assert!(intervals.is_sorted_by(|a, b| a.end <= b.start));
            let resampled = workers.resample(worker, start, start + length, parts);
            for (at, part) in (0..).zip(&resampled) {
                let scale = i128::from(parts);
                let from = i128::from(start) * scale + at * i128::from(length);
                let to = from + i128::from(length);
                let inside = intervals.iter().map(|it| {
                    let begin = (i128::from(it.start) * scale).max(from);
                    ((i128::from(it.end) * scale).min(to) - begin).max(0)
                });
                prop_assert_eq!(part.scaled_busy, inside.clone().sum::<i128>());
                let longest = inside.clone().max().unwrap_or(0);
                if longest > 0 {
                    let first = inside.clone().position(|length| length == longest).unwrap();
                    prop_assert_eq!(part.longest, Some(intervals[first].fragment));
                }
            }
        }
        prop_assert_eq!(busy, timeline.balance().work);
    }

    #[test]
    fn nothing_depends_on_the_order_of_rows_or_the_names_of_workers(
        seed in any::<u64>(),
        tasks in 1_usize..60,
        is_recorded in any::<bool>(),
    ) {
        let simulated = simulate(seed, tasks, 4, i64::from(!is_recorded));
        let (order, names) = identity(&simulated);
        let tables = simulated.tables(&order, &names, is_recorded);
        let shuffled = simulated.shuffled(&mut Random::new(seed ^ 1));
        let renamed = simulated.tables(&shuffled, &[2, 0, 3, 1], is_recorded);
        let structures = [&tables, &renamed].map(Structure::of);
        let first = Timeline::of(&tables, &structures[0]).unwrap();
        let second = Timeline::of(&renamed, &structures[1]).unwrap();
        prop_assert_eq!(first.balance(), second.balance());
        prop_assert_eq!(first.delays(&tables), second.delays(&renamed));
        let gaps = [(&first, &tables), (&second, &renamed)].map(|(timeline, tables)| {
            let mut gaps = timeline.gaps(tables).unwrap();
            if let Some(spine) = &mut gaps.spine {
                // Of several with as many creations the first row counts.
                spine.migrated = None;
                spine.gaps = gaps.creation_continuation.clone().unwrap();
                spine.grain = 0;
            }
            gaps
        });
        prop_assert_eq!(&gaps[0], &gaps[1]);
        let steals = [&first, &second].map(|timeline| timeline.steals().unwrap());
        prop_assert_eq!(steals[0].edges, steals[1].edges);
        prop_assert_eq!(steals[0].moved, steals[1].moved);
        prop_assert_eq!(steals[0].task_first, steals[1].task_first);
        for ((from, to), counts) in steals[0].matrix.iter() {
            for kind in crate::timeline::ReadyBy::ALL {
                let [from, to] = [from, to].map(|it| [2, 0, 3, 1][it as usize]);
                prop_assert_eq!(steals[1].matrix.count(from, to, kind), counts[kind as usize]);
            }
        }
        let resampled = [&first, &second].map(|timeline| timeline.steps().resample(0, 997, 31));
        prop_assert_eq!(&resampled[0], &resampled[1]);
    }
}
