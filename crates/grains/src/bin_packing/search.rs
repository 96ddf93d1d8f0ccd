//! Exact search: branch and bound over the bin of each item, largest first, without recursion.

/// What a search found.
pub(super) struct Found {
    /// The fewest bins found.
    pub(super) bins: u32,
    /// Whether nothing better can exist.
    pub(super) is_complete: bool,
}

/// Where an item is, and where it may go next.
#[derive(Clone, Copy, Default)]
struct Place {
    bin: usize,
    /// Bins before this were tried.
    next: usize,
    /// Whether it fills its bin: nothing else needs to be tried then.
    is_forced: bool,
}

struct Search<'a> {
    sizes: &'a [i64],
    /// Sum of sizes from an item on.
    rest: Vec<i128>,
    room: Vec<i64>,
    open: usize,
    places: Vec<Place>,
    /// Fewest bins found so far.
    best: usize,
}

/// Looks for fewer than `bounds.1` bins until `bounds.0` are enough, everything is tried, or `limit` bins
/// were looked at. Sizes in descending order.
pub(super) fn search(sizes: &[i64], capacity: i64, bounds: (u32, u32), limit: u64) -> Found {
    let mut rest = vec![0_i128; sizes.len() + 1];
    for (at, &size) in sizes.iter().enumerate().rev() {
        rest[at] = rest[at + 1] + i128::from(size);
    }
    let (lower, upper) = (bounds.0 as usize, bounds.1 as usize);
    let mut search = Search {
        sizes,
        rest,
        room: vec![capacity; upper],
        open: 0,
        places: Vec::with_capacity(sizes.len()),
        best: upper,
    };
    let is_complete = search.run(lower, capacity, limit);
    Found {
        bins: u32::try_from(search.best).unwrap_or(u32::MAX),
        is_complete,
    }
}

impl Search<'_> {
    fn run(&mut self, lower: usize, capacity: i64, limit: u64) -> bool {
        let mut steps = 0;
        let mut next = Some(self.floor());
        while self.best > lower {
            if self.places.len() == self.sizes.len() {
                self.best = self.open;
                next = self.take_back(capacity);
                continue;
            }
            let Some(from) = next else {
                return true;
            };
            let found = if self.is_hopeless(capacity) {
                None
            } else {
                self.choose(from)
            };
            let Some((bin, is_forced)) = found else {
                if self.places.is_empty() {
                    return true;
                }
                next = self.take_back(capacity);
                continue;
            };
            steps += 1 + self.open as u64;
            if steps > limit {
                return false;
            }
            self.room[bin] -= self.sizes[self.places.len()];
            self.open = self.open.max(bin + 1);
            self.places.push(Place {
                bin,
                next: bin + 1,
                is_forced,
            });
            next = Some(self.floor());
        }
        true
    }

    /// The first bin that the next item may go to: equal items go to bins in order.
    fn floor(&self) -> usize {
        let at = self.places.len();
        match (self.places.last(), self.sizes.get(at)) {
            (Some(before), Some(size)) if !before.is_forced && self.sizes[at - 1] == *size => {
                before.bin
            }
            _ => 0,
        }
    }

    /// Whether what is left cannot fit into fewer bins than the best.
    fn is_hopeless(&self, capacity: i64) -> bool {
        let smallest = self.sizes.last().copied().unwrap_or(0);
        let open = self.room.get(..self.open).unwrap_or_default();
        let usable: i128 = open
            .iter()
            .filter(|&&room| room >= smallest)
            .map(|&room| i128::from(room))
            .sum();
        let more = (self.best - 1).saturating_sub(self.open) as i128;
        self.open >= self.best
            || self.rest[self.places.len()] > usable + more * i128::from(capacity)
    }

    /// The next bin for the next item, from a bin on; of bins with equal room only the first is tried.
    fn choose(&self, from: usize) -> Option<(usize, bool)> {
        let at = self.places.len();
        let size = *self.sizes.get(at)?;
        let floor = self.floor();
        let last = (self.open + 1).min(self.best - 1);
        let allowed = self.room.get(floor..last)?;
        if from == floor {
            let exact = allowed.iter().position(|&room| room == size);
            if let Some(bin) = exact {
                return Some((floor + bin, true));
            }
        }
        (from..last).find_map(|bin| {
            let room = self.room[bin];
            let is_new = || !self.room[floor..bin].contains(&room);
            (room >= size && is_new()).then_some((bin, false))
        })
    }

    /// Takes the last item that can go elsewhere out of its bin; the first bin to try next.
    fn take_back(&mut self, capacity: i64) -> Option<usize> {
        while let Some(place) = self.places.pop() {
            self.room[place.bin] += self.sizes[self.places.len()];
            while self.open > 0 && self.room[self.open - 1] == capacity {
                self.open -= 1;
            }
            if !place.is_forced && self.open < self.best {
                return Some(place.next);
            }
        }
        None
    }
}
