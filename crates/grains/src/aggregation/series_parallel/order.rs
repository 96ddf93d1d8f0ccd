//! Which grains depend on which, without what follows from the rest.

use super::EMPTY;
use crate::grain_graph::to_u32;

/// Steps per grain and dependence that are spent on dropping implied dependences.
const STEPS: usize = 64;

/// Dependences by grain.
pub(super) struct Order {
    pub(super) before: Vec<Vec<u32>>,
    pub(super) after: Vec<Vec<u32>>,
    /// Number of the point where a grain meets those with the same successors, where those have no other
    /// predecessors; [`EMPTY`] elsewhere.
    pub(super) meeting_of: Vec<u32>,
    /// First grain of each meeting point.
    pub(super) meetings: Vec<u32>,
}

impl Order {
    pub(super) fn of(count: u32, dependences: &[(u32, u32)]) -> Self {
        let mut order = Self {
            before: vec![Vec::new(); count as usize],
            after: vec![Vec::new(); count as usize],
            meeting_of: vec![EMPTY; count as usize],
            meetings: Vec::new(),
        };
        let mut sorted = dependences.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        for (before, after) in sorted {
            order.after[before as usize].push(after);
            order.before[after as usize].push(before);
        }
        order.drop_implied();
        order.meet();
        order
    }

    /// Drops dependences that follow from others, as far as that takes a number of steps in proportion to
    /// grains and dependences; what is left only makes an order look less nested than it is. Nothing is
    /// dropped where a grain depends on a later one.
    fn drop_implied(&mut self) {
        let dependences: usize = self.after.iter().map(Vec::len).sum();
        let mut steps = STEPS * (self.after.len() + dependences);
        let mut seen = vec![EMPTY; self.after.len()];
        for grain in 0..to_u32(self.after.len()) {
            let Some(implied) = self.implied(grain, &mut seen, &mut steps) else {
                return;
            };
            self.before[grain as usize].retain(|before| !implied.contains(before));
            for before in implied {
                self.after[before as usize].retain(|&after| after != grain);
            }
        }
    }

    /// Predecessors of a grain that come before other ones of it; absent when there are no steps left.
    fn implied(&self, grain: u32, seen: &mut [u32], steps: &mut usize) -> Option<Vec<u32>> {
        let own = &self.before[grain as usize];
        let (Some(&first), Some(&last)) = (own.first(), own.last()) else {
            return Some(Vec::new());
        };
        if last >= grain {
            return None;
        }
        let mut rest = if own.len() > 1 {
            own.clone()
        } else {
            Vec::new()
        };
        let mut implied = Vec::new();
        while let Some(later) = rest.pop() {
            let before = &self.before[later as usize];
            *steps = steps.checked_sub(1 + before.len())?;
            for &earlier in before.iter().filter(|&&earlier| earlier >= first) {
                if seen[earlier as usize] != grain {
                    seen[earlier as usize] = grain;
                    rest.push(earlier);
                    if own.binary_search(&earlier).is_ok() {
                        implied.push(earlier);
                    }
                }
            }
        }
        Some(implied)
    }

    fn meet(&mut self) {
        let mut grains: Vec<u32> = (0..to_u32(self.after.len())).collect();
        grains.retain(|&grain| self.after[grain as usize].len() > 1);
        grains.sort_by_key(|&grain| &self.after[grain as usize]);
        let after = |grain: u32| &self.after[grain as usize];
        for equal in grains.chunk_by(|&a, &b| after(a) == after(b)) {
            let [first, _, ..] = equal else { continue };
            let mut next = after(*first).iter();
            if next.all(|&next| self.before[next as usize] == equal) {
                for &grain in equal {
                    self.meeting_of[grain as usize] = to_u32(self.meetings.len());
                }
                self.meetings.push(*first);
            }
        }
    }
}
