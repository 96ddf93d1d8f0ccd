//! Joins that a walk has come to and that are not over.

use std::collections::BTreeMap;

use super::ways::Ways;

/// The join of a set before it is over.
pub(super) struct Join<W: Ways> {
    /// Members that it waits for less those that ended.
    pub(super) missing: i32,
    pub(super) arrivals: Option<W::Arrivals>,
}

impl<W: Ways> Default for Join<W> {
    fn default() -> Self {
        Self {
            missing: 0,
            arrivals: None,
        }
    }
}

/// Joins that have begun and are not over, by set.
pub(super) struct Joins<W: Ways> {
    /// The one that was asked for last, which is not in the map: the next is the same, mostly.
    last: Option<(u32, Join<W>)>,
    others: BTreeMap<u32, Join<W>>,
}

impl<W: Ways> Default for Joins<W> {
    fn default() -> Self {
        Self {
            last: None,
            others: BTreeMap::new(),
        }
    }
}

impl<W: Ways> Joins<W> {
    /// The join of a set, which begins if it has not begun.
    pub(super) fn of(&mut self, set: u32) -> &mut Join<W> {
        let last = self.last.take_if(|last| last.0 != set);
        self.others.extend(last);
        let others = &mut self.others;
        let (_, join) =
            (self.last).get_or_insert_with(|| (set, others.remove(&set).unwrap_or_default()));
        join
    }

    pub(super) fn remove(&mut self, set: u32) -> Option<Join<W>> {
        let last = self.last.take_if(|last| last.0 == set);
        last.map(|(_, join)| join)
            .or_else(|| self.others.remove(&set))
    }
}
