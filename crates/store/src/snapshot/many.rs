//! Rows of many runs, read as they are stored.

use std::collections::BTreeMap;

use arrow::array::RecordBatch;
use rayon::prelude::*;
use sheaf_model::RunId;

use super::Snapshot;
use crate::Error;
use crate::segment::place_of;

impl Snapshot {
    /// Some columns of a table of many runs, decoded row group by row group on all processors: each run's
    /// part of a row group goes to `visit`, with the place of the run among those asked for. What `visit`
    /// makes of them comes in order of these places, then of rows. Besides that one row group per thread
    /// is in memory.
    ///
    /// # Errors
    /// [`Error::UnknownTable`], [`Error::UnknownRun`], [`Error::Changed`], [`Error::Damaged`].
    pub fn scan<T: Send>(
        &self,
        runs: &[RunId],
        table: &str,
        columns: &[&str],
        visit: impl Fn(usize, &RecordBatch) -> T + Sync,
    ) -> Result<Vec<(usize, T)>, Error> {
        let table_place = place_of(table)?;
        let mut by_segment: BTreeMap<usize, BTreeMap<usize, usize>> = BTreeMap::new();
        for (order, run) in runs.iter().enumerate() {
            if let Some(place) = self.inner.places.get(self.index(*run)?) {
                let members = by_segment.entry(place.segment).or_default();
                members.insert(place.run, order);
            }
        }
        let mut groups = Vec::new();
        for (segment, members) in &by_segment {
            if let Some(segment) = self.inner.segments.get(*segment) {
                let places: Vec<usize> = members.keys().copied().collect();
                for parts in segment.parts_by_row_group(table_place, &places)? {
                    groups.push((segment.as_ref(), members, parts));
                }
            }
        }
        let visited: Result<Vec<Vec<(usize, T)>>, Error> = groups
            .par_iter()
            .map(|(segment, members, parts)| {
                let batches = segment.read(table_place, parts, Some(columns))?;
                let both = parts.iter().zip(&batches);
                let visited = both.filter_map(|(part, batch)| {
                    let order = *members.get(&part.run)?;
                    Some((order, visit(order, batch)))
                });
                Ok(visited.collect())
            })
            .collect();
        let mut visited: Vec<(usize, T)> = visited?.into_iter().flatten().collect();
        visited.sort_by_key(|(order, _)| *order);
        Ok(visited)
    }

    /// Positions of `runs` in the order in which they are stored: runs next to each other share row groups, so
    /// slices of this order decode no row group twice but at their ends. It depends on the layout of the store, so
    /// results must not.
    ///
    /// # Errors
    /// [`Error::UnknownRun`].
    pub fn stored_order(&self, runs: &[RunId]) -> Result<Vec<usize>, Error> {
        let mut order = Vec::with_capacity(runs.len());
        for (position, run) in runs.iter().enumerate() {
            let place = self.inner.places.get(self.index(*run)?);
            order.push((place.map(|place| (place.segment, place.run)), position));
        }
        order.sort_unstable();
        Ok(order.into_iter().map(|(_, position)| position).collect())
    }
}
