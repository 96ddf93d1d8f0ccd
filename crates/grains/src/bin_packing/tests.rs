//! Packings against brute force, bounds against each other, loops written by hand.

use std::collections::HashMap;

use proptest::prelude::*;

use super::bounds::{first_fit_decreasing, lower};
use super::{Packing, Proof, SEARCH_LIMIT, pack};

/// The least number of bins by trying all sets of items: of each set the fewest bins, and the least that is in the last.
fn brute_force(sizes: &[i64], capacity: i64) -> u32 {
    let full = (1_usize << sizes.len()) - 1;
    let mut best: HashMap<usize, (u32, i64)> = HashMap::from([(0, (0, capacity))]);
    for set in 1..=full {
        let options = (0..sizes.len()).filter(|item| set >> item & 1 == 1);
        let options = options.map(|item| {
            let (bins, used) = best[&(set & !(1 << item))];
            let size = sizes[item];
            if used + size <= capacity {
                (bins, used + size)
            } else {
                (bins + 1, size)
            }
        });
        best.insert(set, options.min().unwrap());
    }
    best[&full].0
}

fn check(sizes: &[i64], capacity: i64, expected: &str) {
    let Packing {
        lower,
        upper,
        proof,
    } = pack(sizes, capacity, SEARCH_LIMIT).unwrap();
    assert_eq!(format!("{lower}..{upper} {proof:?}"), expected);
}

#[test]
fn packings_by_hand() {
    check(&[], 10, "0..0 Bounds");
    check(&[0, 0], 10, "0..0 Bounds");
    check(&[10, 10, 10], 10, "3..3 Bounds");
    check(&[6, 6, 6, 4, 4, 4], 10, "3..3 Bounds");
    // First-fit decreasing takes 3 bins.
    check(&[4, 4, 3, 3, 2, 2], 9, "2..2 Search");
    // The bound L2 is 2.
    check(&[8, 8, 4, 4, 2], 13, "3..3 Search");
    assert_eq!(pack(&[11], 10, SEARCH_LIMIT), None);
}

#[test]
fn a_search_that_is_given_up_says_so() {
    let found = pack(&[4, 4, 3, 3, 2, 2], 9, 3).unwrap();
    assert_eq!((found.lower, found.upper, found.proof), (2, 3, Proof::Open));
    assert_eq!(found.exact(), None);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3_000))]

    #[test]
    fn packings_are_those_of_brute_force(
        sizes in prop::collection::vec(0_i64..=40, 0..11),
        slack in 0_i64..60,
    ) {
        let capacity = sizes.iter().copied().max().unwrap_or(0) + slack;
        let found = pack(&sizes, capacity, SEARCH_LIMIT).unwrap();
        let present: Vec<i64> = sizes.iter().copied().filter(|&size| size > 0).collect();
        let expected = if present.is_empty() { 0 } else { brute_force(&present, capacity) };
        // The empty set has no bin that is begun.
        prop_assert_eq!(found.exact(), Some(expected));
    }

    #[test]
    fn bounds_enclose_what_the_search_finds(
        mut sizes in prop::collection::vec(1_i64..=1000, 1..200),
        slack in 0_i64..2000,
    ) {
        let capacity = sizes.iter().copied().max().unwrap_or(0) + slack;
        let found = pack(&sizes, capacity, 2_000).unwrap();
        sizes.reverse();
        prop_assert_eq!(pack(&sizes, capacity, 2_000), Some(found));
        sizes.sort_unstable_by(|a, b| b.cmp(a));
        let (least, most) = (lower(&sizes, capacity), first_fit_decreasing(&sizes, capacity));
        prop_assert!(least <= found.lower && found.lower <= found.upper && found.upper <= most);
        // What is proven of first-fit decreasing: 11/9 of the least number, and 6/9.
        prop_assert!(9 * most <= 11 * found.upper + 6);
    }
}

/// Context, chunks, workers, work, makespan and what it is taken from, and the packing of each loop.
fn check_loops(text: &str, expected: &[&str]) {
    let run = crate::timeline::tests::text::run(text);
    let found: Vec<String> = super::loops(&run, SEARCH_LIMIT)
        .iter()
        .map(|found| {
            let Packing { lower, upper, .. } = found.packing;
            format!(
                "first {} owner {:?}: {} chunks, {} workers, work {}, {:?} {}, {lower}..{upper}",
                found.first_chunk,
                found.owner,
                found.chunks,
                found.workers,
                found.work,
                found.rule,
                found.makespan,
            )
        })
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn loops_by_hand() {
    check_loops(
        "
        initial - run=w0:0+10
        member 0 sequence=0 index=0 run=w0:10+1
        member 0 sequence=0 index=1 run=w1:10+1
        chunk 1 sequence=0 index=0 run=w0:11+40
        chunk 2 sequence=0 index=1 run=w1:11+15
        chunk 2 sequence=0 index=2 run=w1:26+15
        chunk 1 sequence=1 index=0 run=w0:60+10
        member 0 sequence=1 index=0 run=w0:80+1
        chunk 7 sequence=0 index=0 run=w0:81+10
        ",
        &[
            // One worker would take 70.
            "first 3 owner Some(0): 3 chunks, 2 workers, work 70, Elapsed 40, 2..2",
            "first 6 owner Some(0): 1 chunks, 1 workers, work 10, Elapsed 10, 1..1",
            "first 8 owner Some(0): 1 chunks, 1 workers, work 10, Elapsed 10, 1..1",
        ],
    );
    check_loops(
        "
        chunk - sequence=0 work=30 end=40
        chunk - sequence=0 work=20 end=30
        chunk - sequence=1 work=20
        chunk - sequence=1 work=20
        ",
        &[
            "first 0 owner None: 2 chunks, 0 workers, work 50, EndsAndWork 30, 2..2",
            "first 2 owner None: 2 chunks, 0 workers, work 40, LongestChunk 20, 2..2",
        ],
    );
}
