//! The fragments of a run in the order in which they ended, in about ten bytes each.

use sheaf_model::table::{FragmentEnd, IntoValues, PackedColumn};

use super::records::{Fragment, Slot};

/// Codes of [`FragmentEnd`] fit below a location.
const END_CODES: i64 = 8;

/// A list of fragments.
#[derive(Debug, Default)]
pub(super) struct FragmentList {
    grain: PackedColumn,
    /// One more than the pass; 0 where there is none.
    pass: PackedColumn,
    /// Location, and what ended the fragment.
    place: PackedColumn,
    start: PackedColumn,
    duration: PackedColumn,
}

impl FragmentList {
    pub(super) fn len(&self) -> usize {
        self.grain.len()
    }

    pub(super) fn push(&mut self, fragment: &Fragment) {
        self.grain.push(fragment.grain.into());
        self.pass.push(fragment.pass.wrapping_add(1).into());
        let end = i64::from(fragment.ended_by as i32);
        debug_assert!(end < END_CODES, "{:?}", fragment.ended_by);
        self.place
            .push(i64::from(fragment.location) * END_CODES + end);
        self.start.push(fragment.start);
        self.duration.push(fragment.duration);
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Fragment> + '_ {
        rows(
            self.grain.values_from(0),
            self.pass.values_from(0),
            self.place.values_from(0),
            self.start.values_from(0),
            self.duration.values_from(0),
        )
    }

    /// The grain of each fragment.
    pub(super) fn grains(&self) -> impl Iterator<Item = Slot> + '_ {
        self.grain.values_from(0).map(slot)
    }

    /// The end of the last fragment.
    pub(super) fn end(&self) -> Option<i64> {
        let lengths = self.duration.values_from(0);
        let ends = self.start.values_from(0).zip(lengths);
        ends.map(|(start, length)| start.saturating_add(length))
            .max()
    }
}

impl FromIterator<Fragment> for FragmentList {
    fn from_iter<I: IntoIterator<Item = Fragment>>(fragments: I) -> Self {
        let mut list = Self::default();
        fragments
            .into_iter()
            .for_each(|fragment| list.push(&fragment));
        list
    }
}

impl IntoIterator for FragmentList {
    type Item = Fragment;
    type IntoIter = std::iter::Map<IntoColumns, fn(Columns) -> Fragment>;

    /// The memory of what was read goes at once.
    fn into_iter(self) -> Self::IntoIter {
        let columns = IntoColumns {
            grain: self.grain.into_iter(),
            pass: self.pass.into_iter(),
            place: self.place.into_iter(),
            start: self.start.into_iter(),
            duration: self.duration.into_iter(),
        };
        columns.map(fragment)
    }
}

/// Grain, pass, place, start and duration as they are kept.
type Columns = [i64; 5];

/// The columns of a list that is given up.
pub(super) struct IntoColumns {
    grain: IntoValues,
    pass: IntoValues,
    place: IntoValues,
    start: IntoValues,
    duration: IntoValues,
}

impl Iterator for IntoColumns {
    type Item = Columns;

    #[inline]
    fn next(&mut self) -> Option<Columns> {
        Some([
            self.grain.next()?,
            self.pass.next()?,
            self.place.next()?,
            self.start.next()?,
            self.duration.next()?,
        ])
    }
}

fn rows(
    grain: impl Iterator<Item = i64>,
    pass: impl Iterator<Item = i64>,
    place: impl Iterator<Item = i64>,
    start: impl Iterator<Item = i64>,
    duration: impl Iterator<Item = i64>,
) -> impl Iterator<Item = Fragment> {
    let times = start.zip(duration);
    let all = grain.zip(pass).zip(place).zip(times);
    all.map(|(((grain, pass), place), (start, duration))| {
        fragment([grain, pass, place, start, duration])
    })
}

fn fragment([grain, pass, place, start, duration]: Columns) -> Fragment {
    let end = i32::try_from(place % END_CODES).ok();
    Fragment {
        grain: slot(grain),
        pass: slot(pass).wrapping_sub(1),
        location: slot(place / END_CODES),
        ended_by: end
            .and_then(FragmentEnd::from_code)
            .unwrap_or(FragmentEnd::TraceEnd),
        start,
        duration,
    }
}

fn slot(value: i64) -> Slot {
    Slot::try_from(value).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::build::records::NONE;

    #[test]
    fn fragments_come_back() {
        let ends = (0..8).filter_map(FragmentEnd::from_code);
        let fragments: Vec<Fragment> = ends
            .zip(0_u32..)
            .map(|(ended_by, at)| Fragment {
                grain: NONE - at,
                pass: [NONE, 0, NONE - 1][at as usize % 3],
                location: at * 400_000_000,
                ended_by,
                start: i64::from(at) - 3,
                duration: i64::from(at) << 40,
            })
            .collect();
        assert_eq!(fragments.len(), 8);
        let list: FragmentList = fragments.iter().copied().collect();
        assert_eq!(list.iter().collect::<Vec<_>>(), fragments);
        let grains: Vec<Slot> = fragments.iter().map(|fragment| fragment.grain).collect();
        assert_eq!(list.grains().collect::<Vec<_>>(), grains);
        assert_eq!(list.end(), Some(4 + (7 << 40)));
        assert_eq!(list.into_iter().collect::<Vec<_>>(), fragments);
    }
}
