//! The fragments of one grain.

use sheaf_answers::{Fragments, GrainFragment};
use sheaf_model::table::FragmentEnd;

use super::OpenRun;
use crate::{Error, View};

impl View<'_> {
    /// The stretches in which workers ran a grain, in order of time. O(log fragments + rows).
    ///
    /// # Errors
    /// When the selector names no run or several, the run has no grains, there is no such grain, or the source says nothing
    /// about fragments.
    pub fn fragments(
        &self,
        run: &str,
        grain: u32,
        offset: usize,
        limit: usize,
    ) -> Result<Fragments, Error> {
        let (meta, opened) = self.open_run(run)?;
        let tables = opened.tables();
        let count = tables.grains.len();
        if grain as usize >= count {
            return Err(Error::UnknownGrain { grain, count });
        }
        if tables.fragments.is_empty() {
            return Err(Error::NoTimes {
                reason: "the source has no fragments".to_owned(),
            });
        }
        let rows = opened.fragments_of(grain);
        let page = rows.clone().skip(offset).take(limit);
        Ok(Fragments {
            schema: "fragments/1".to_owned(),
            run: meta.id.to_string(),
            unit: meta.time_unit,
            grain,
            total: rows.len() as u64,
            offset: offset as u64,
            rows: page.filter_map(|row| opened.fragment(row)).collect(),
        })
    }
}

impl OpenRun {
    /// Rows of a grain's fragments, which stand together.
    fn fragments_of(&self, grain: u32) -> std::ops::Range<usize> {
        let grains = self.tables().fragments.grain.values();
        let before = |of: i32| u32::try_from(of).is_ok_and(|of| of < grain);
        let start = grains.partition_point(before);
        let of_grain = |of: i32| u32::try_from(of).is_ok_and(|of| of <= grain);
        start..grains.partition_point(of_grain)
    }

    fn fragment(&self, row: usize) -> Option<GrainFragment> {
        let tables = self.tables();
        let fragments = &tables.fragments;
        let location = fragments.location.get(row)?;
        let worker = u32::try_from(location).ok()?;
        let locations = &tables.summary.locations;
        Some(GrainFragment {
            worker,
            rank: *locations.rank.values().get(worker as usize)?,
            thread: *locations.thread.values().get(worker as usize)?,
            start: fragments.start.get(row)?,
            duration: fragments.duration.get(row)?,
            ended_by: end_of(FragmentEnd::from_code(fragments.ended_by.get(row)?)?),
        })
    }
}

const fn end_of(end: FragmentEnd) -> sheaf_answers::FragmentEnd {
    match end {
        FragmentEnd::GrainEnd => sheaf_answers::FragmentEnd::GrainEnd,
        FragmentEnd::Creation => sheaf_answers::FragmentEnd::Creation,
        FragmentEnd::Wait => sheaf_answers::FragmentEnd::Wait,
        FragmentEnd::Switch => sheaf_answers::FragmentEnd::Switch,
        FragmentEnd::Enter => sheaf_answers::FragmentEnd::Enter,
        FragmentEnd::TraceEnd => sheaf_answers::FragmentEnd::TraceEnd,
        FragmentEnd::Lock => sheaf_answers::FragmentEnd::Lock,
        FragmentEnd::Message => sheaf_answers::FragmentEnd::Message,
    }
}
