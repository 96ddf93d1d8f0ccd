//! Splits of a sample into two halves, for A/A tests.

use crate::random::Random;

/// Splits of items into two halves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Halves {
    /// Indices of the first half of each split, ascending: half of the items, rounded down.
    pub first: Vec<Vec<usize>>,
    /// Whether these are all splits, rather than random ones.
    pub is_all: bool,
}

/// All splits of `count` items into two halves, regardless of which half is first. If there are more than
/// `most`, that many random ones from `seed`, possibly with repetitions.
///
/// ```
/// use sheaf_statistics::halves;
/// let of_four = halves(4, 100, 0);
/// assert_eq!(of_four.first, [[0, 1], [0, 2], [0, 3]]);
/// assert!(of_four.is_all);
/// ```
pub fn halves(count: usize, most: usize, seed: u64) -> Halves {
    let half = count / 2;
    // With an even number, each split is counted once: by the half with the first item.
    let is_even = count.is_multiple_of(2);
    let (free, chosen) = if is_even {
        (count.saturating_sub(1), half.saturating_sub(1))
    } else {
        (count, half)
    };
    if half == 0 {
        return Halves {
            first: Vec::new(),
            is_all: true,
        };
    }
    if choices(free, chosen) <= most as f64 {
        let first = combinations(free, chosen).into_iter().map(|places| {
            if is_even {
                let rest = places.into_iter().map(|place| place + 1);
                [0].into_iter().chain(rest).collect()
            } else {
                places
            }
        });
        return Halves {
            first: first.collect(),
            is_all: true,
        };
    }
    let mut random = Random::new(seed ^ count as u64);
    let mut places: Vec<usize> = (0..count).collect();
    let draw = |_| {
        random.shuffle(&mut places);
        let mut first = places[..half].to_vec();
        first.sort_unstable();
        first
    };
    Halves {
        first: (0..most).map(draw).collect(),
        is_all: false,
    }
}

fn choices(count: usize, chosen: usize) -> f64 {
    (0..chosen).fold(1.0, |choices, step| {
        choices * (count - step) as f64 / (step + 1) as f64
    })
}

/// All ascending choices of `chosen` indices, in lexicographic order.
fn combinations(count: usize, chosen: usize) -> Vec<Vec<usize>> {
    let mut places: Vec<usize> = (0..chosen).collect();
    let mut all = vec![places.clone()];
    let last_of = |at: usize| count - chosen + at;
    while let Some(at) = (0..chosen).rev().find(|&at| places[at] < last_of(at)) {
        places[at] += 1;
        for behind in at + 1..chosen {
            places[behind] = places[behind - 1] + 1;
        }
        all.push(places.clone());
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_division_comes_once() {
        for (count, ways) in [(0, 0), (1, 0), (2, 1), (3, 3), (5, 10), (8, 35), (9, 126)] {
            let all = halves(count, 1_000, 1);
            assert_eq!((all.first.len(), all.is_all), (ways, true), "{count}");
            let mut distinct = all.first.clone();
            distinct.sort();
            distinct.dedup();
            assert_eq!(distinct, all.first);
            assert!(all.first.iter().all(|half| half.len() == count / 2));
        }
    }

    #[test]
    fn of_many_ways_some_are_drawn() {
        let some = halves(40, 100, 7);
        assert_eq!((some.first.len(), some.is_all), (100, false));
        assert_eq!(some, halves(40, 100, 7));
        assert_ne!(some, halves(40, 100, 8));
        let is_half =
            |half: &Vec<usize>| half.len() == 20 && half.windows(2).all(|two| two[0] < two[1]);
        assert!(some.first.iter().all(is_half));
    }
}
