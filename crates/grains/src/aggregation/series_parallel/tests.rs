//! Parts of small orders, and what must hold of any.

use proptest::prelude::*;

use super::{Part, parts};

fn check(count: u32, dependences: &[(u32, u32)]) -> String {
    let Some(parts) = parts(count, dependences) else {
        return "not series-parallel".to_owned();
    };
    let words: Vec<String> = parts
        .into_iter()
        .map(|part| match part {
            Part::Grain(place) => place.to_string(),
            Part::Series => "(".to_owned(),
            Part::Parallel => "{".to_owned(),
            Part::End => "]".to_owned(),
        })
        .collect();
    words.join(" ")
}

#[test]
fn parts_of_small_orders() {
    assert_eq!(check(3, &[]), "0 1 2");
    assert_eq!(check(3, &[(0, 1)]), "( 0 1 ] 2");
    assert_eq!(check(3, &[(2, 0)]), "( 2 0 ] 1");
    // A chain, with and without the dependence that follows from it.
    assert_eq!(check(3, &[(0, 1), (1, 2)]), "( 0 1 2 ]");
    assert_eq!(check(3, &[(0, 1), (1, 2), (0, 2)]), "( 0 1 2 ]");
    // A diamond; two before two.
    assert_eq!(
        check(4, &[(0, 1), (0, 2), (1, 3), (2, 3)]),
        "( 0 { 1 2 ] 3 ]"
    );
    assert_eq!(
        check(4, &[(0, 2), (0, 3), (1, 2), (1, 3)]),
        "( { 0 1 ] { 2 3 ] ]"
    );
    // A dependence that follows from others which do not stand beside it.
    assert_eq!(
        check(4, &[(0, 1), (1, 2), (0, 2), (1, 3)]),
        "( 0 1 { 2 3 ] ]"
    );
    // The N, the smallest order that is not series-parallel.
    assert_eq!(check(4, &[(0, 2), (0, 3), (1, 3)]), "not series-parallel");
    assert_eq!(check(2, &[(0, 1), (1, 0)]), "not series-parallel");
    assert_eq!(check(1, &[(0, 0)]), "not series-parallel");
}

#[test]
fn a_long_chain_needs_no_stack() {
    let chain: Vec<(u32, u32)> = (1..200_000).map(|grain| (grain - 1, grain)).collect();
    let parts = parts(200_000, &chain).unwrap();
    assert_eq!(parts.len(), 200_002);
}

/// Which grain comes before which, by the parts.
fn closure_of_parts(count: u32, parts: &[Part]) -> Vec<Vec<bool>> {
    let n = count as usize;
    let mut before = vec![vec![false; n]; n];
    // Grains of the closed parts of each open one.
    let mut open: Vec<(Part, Vec<u32>)> = vec![(Part::Parallel, Vec::new())];
    let add = |open: &mut Vec<(Part, Vec<u32>)>, grains: Vec<u32>, before: &mut Vec<Vec<bool>>| {
        let (part, earlier) = open.last_mut().unwrap();
        if *part == Part::Series {
            for &a in earlier.iter() {
                for &b in &grains {
                    before[a as usize][b as usize] = true;
                }
            }
        }
        earlier.extend(grains);
    };
    for &part in parts {
        match part {
            Part::Grain(grain) => add(&mut open, vec![grain], &mut before),
            Part::End => {
                let (_, grains) = open.pop().unwrap();
                add(&mut open, grains, &mut before);
            }
            part => open.push((part, Vec::new())),
        }
    }
    before
}

fn closure(count: u32, dependences: &[(u32, u32)]) -> Vec<Vec<bool>> {
    let n = count as usize;
    let mut before = vec![vec![false; n]; n];
    for &(a, b) in dependences {
        before[a as usize][b as usize] = true;
    }
    for middle in 0..n {
        for a in 0..n {
            for b in 0..n {
                before[a][b] |= before[a][middle] && before[middle][b];
            }
        }
    }
    before
}

/// Whether four grains are ordered as an N, which no series-parallel order holds.
fn has_n(order: &[Vec<bool>]) -> bool {
    let n = order.len();
    let free = |a: usize, b: usize| a != b && !order[a][b] && !order[b][a];
    let grains = || 0..n;
    grains().any(|a| {
        grains().any(|b| {
            free(a, b)
                && grains().any(|c| {
                    order[a][c]
                        && free(b, c)
                        && grains().any(|d| order[a][d] && order[b][d] && free(c, d))
                })
        })
    })
}

proptest! {
    #[test]
    fn parts_say_what_dependences_say(drawn in prop::collection::vec((0..8_u32, 0..8_u32), 0..12)) {
        let forward: Vec<(u32, u32)> = drawn.into_iter().filter(|(a, b)| a < b).collect();
        let order = closure(8, &forward);
        match parts(8, &forward) {
            Some(parts) => prop_assert_eq!(closure_of_parts(8, &parts), order),
            None => prop_assert!(has_n(&order)),
        }
    }
}
