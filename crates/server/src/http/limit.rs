//! Back-pressure: a bound on the questions that are computed at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A number of places for work.
#[derive(Clone)]
pub(crate) struct Limit {
    taken: Arc<AtomicUsize>,
    places: usize,
}

/// A place, given back when dropped.
pub(crate) struct Place(Arc<AtomicUsize>);

impl Limit {
    pub(crate) fn new(places: usize) -> Self {
        Self {
            taken: Arc::default(),
            places,
        }
    }

    /// How many places there are.
    pub(crate) fn places(&self) -> usize {
        self.places
    }

    /// A place, or `None` when all are taken.
    pub(crate) fn enter(&self) -> Option<Place> {
        let before = self.taken.fetch_add(1, Ordering::AcqRel);
        let place = Place(Arc::clone(&self.taken));
        (before < self.places).then_some(place)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_given_back() {
        let limit = Limit::new(1);
        let first = limit.enter();
        assert!(first.is_some());
        assert!(limit.enter().is_none());
        drop(first);
        assert!(limit.enter().is_some());
    }
}
