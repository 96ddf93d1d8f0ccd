//! Intervals of time on one worker that are nested: what ran when, and inside of what.

/// A time in which something ran on a worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Interval {
    /// Number of what ran.
    pub(crate) owner: u32,
    pub(crate) start: i64,
    /// Never before `start`.
    pub(crate) end: i64,
}

/// A part of an interval in which nothing inside it ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) owner: u32,
    pub(crate) start: i64,
    pub(crate) duration: i64,
    /// Whether the interval ends with it.
    pub(crate) is_last: bool,
}

/// Intervals that overlap without nesting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Overlaps {
    /// Their number.
    pub(crate) count: u64,
    /// Time that they have in common with the intervals before them.
    pub(crate) time: i64,
}

struct Open {
    interval: Interval,
    /// Up to where its time is given away.
    until: i64,
    has_piece: bool,
}

/// Cuts the intervals of one worker around those inside them, so that pieces never overlap and
/// no time counts twice. `intervals` come in order of their starts, outer before inner; pieces of
/// one interval come in order of time, at least one of each, empty where no time is left to it.
///
/// If two intervals overlap and neither contains the other, their common time counts for the one that began later.
pub(crate) fn cut_around_inner(intervals: &[Interval], mut give: impl FnMut(Piece)) -> Overlaps {
    let mut open: Vec<Open> = Vec::new();
    let mut overlaps = Overlaps::default();
    for &interval in intervals {
        close_until(&mut open, interval.start, &mut give);
        if let Some(outer) = open.last_mut() {
            if interval.end > outer.interval.end {
                overlaps.count += 1;
                let time = outer.interval.end.saturating_sub(interval.start);
                overlaps.time = overlaps.time.saturating_add(time);
            }
            if interval.start > outer.until {
                give(outer.piece(interval.start, false));
                outer.has_piece = true;
            }
            outer.until = outer.until.max(interval.start);
        }
        open.push(Open {
            interval,
            until: interval.start,
            has_piece: false,
        });
    }
    close_until(&mut open, i64::MAX, &mut give);
    overlaps
}

fn close_until(open: &mut Vec<Open>, time: i64, give: &mut impl FnMut(Piece)) {
    while let Some(inner) = open.pop_if(|inner| inner.interval.end <= time) {
        let end = inner.interval.end;
        if end > inner.until {
            give(inner.piece(end, true));
        } else if !inner.has_piece {
            let start = inner.interval.start;
            give(Piece {
                owner: inner.interval.owner,
                start,
                duration: 0,
                is_last: true,
            });
        }
        if let Some(outer) = open.last_mut() {
            outer.until = outer.until.max(inner.until).max(end);
        }
    }
}

impl Open {
    fn piece(&self, end: i64, is_last: bool) -> Piece {
        Piece {
            owner: self.interval.owner,
            start: self.until,
            duration: end - self.until,
            is_last,
        }
    }
}

/// For each of `times`, which ascend, the number of the innermost interval around it, both ends
/// included; `intervals` as for [`cut_around_inner`].
pub(crate) fn owners_at(intervals: &[Interval], times: &[i64]) -> Vec<Option<u32>> {
    let mut open: Vec<Interval> = Vec::new();
    let mut next = intervals.iter().peekable();
    let mut found = Vec::with_capacity(times.len());
    for &time in times {
        while let Some(&interval) = next.next_if(|interval| interval.start <= time) {
            while open.pop_if(|inner| inner.end < interval.start).is_some() {}
            open.push(interval);
        }
        while open.pop_if(|inner| inner.end < time).is_some() {}
        found.push(open.last().map(|inner| inner.owner));
    }
    found
}

/// For each interval, the owner of the one that it lies in; `intervals` as for [`cut_around_inner`].
pub(crate) fn outer_owners(intervals: &[Interval]) -> Vec<Option<u32>> {
    let mut open: Vec<Interval> = Vec::new();
    let mut found = Vec::with_capacity(intervals.len());
    for &interval in intervals {
        let is_over = |outer: &mut Interval| {
            outer.end <= interval.start && (outer.end, outer.start) != (interval.end, interval.end)
        };
        while open.pop_if(is_over).is_some() {}
        let holder = open.last().filter(|outer| outer.end >= interval.end);
        found.push(holder.map(|outer| outer.owner));
        open.push(interval);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn intervals(stretches: &[(i64, i64)]) -> Vec<Interval> {
        (0..)
            .zip(stretches)
            .map(|(owner, &(start, end))| Interval { owner, start, end })
            .collect()
    }

    fn check(stretches: &[(i64, i64)], expected: &str, overlaps: (u64, i64)) {
        let mut pieces = Vec::new();
        let found = cut_around_inner(&intervals(stretches), |piece| pieces.push(piece));
        let text: Vec<String> = pieces
            .iter()
            .map(|piece| {
                let end = if piece.is_last { "." } else { "" };
                let until = piece.start + piece.duration;
                format!("{}:{}-{until}{end}", piece.owner, piece.start)
            })
            .collect();
        assert_eq!(text.join(" "), expected);
        assert_eq!((found.count, found.time), overlaps);
        pieces.sort_by_key(|piece| (piece.start, piece.duration));
        for pair in pieces.windows(2) {
            assert!(pair[0].start + pair[0].duration <= pair[1].start);
        }
    }

    #[test]
    fn inner_intervals_are_cut_out() {
        check(
            &[(0, 10), (2, 4), (5, 6)],
            "0:0-2 1:2-4. 0:4-5 2:5-6. 0:6-10.",
            (0, 0),
        );
        check(&[(0, 10), (0, 10)], "1:0-10. 0:0-0.", (0, 0));
        check(&[(0, 10), (10, 12)], "0:0-10. 1:10-12.", (0, 0));
        check(
            &[(5, 5), (5, 9), (7, 7)],
            "0:5-5. 1:5-7 2:7-7. 1:7-9.",
            (0, 0),
        );
        check(&[(0, 9), (3, 9), (9, 9)], "0:0-3 1:3-9. 2:9-9.", (0, 0));
    }

    #[test]
    fn overlaps_are_the_later_ones() {
        check(&[(0, 10), (5, 15)], "0:0-5 1:5-15.", (1, 5));
        check(
            &[(0, 10), (5, 15), (12, 13)],
            "0:0-5 1:5-12 2:12-13. 1:13-15.",
            (1, 5),
        );
        check(&[(5, 10), (5, 15)], "1:5-15. 0:5-5.", (1, 5));
    }

    #[test]
    fn times_find_what_is_around_them() {
        let stretches = intervals(&[(0, 10), (2, 4), (5, 6), (20, 30)]);
        let found = owners_at(&stretches, &[-1, 0, 3, 4, 5, 10, 15, 30]);
        let expected = [
            None,
            Some(0),
            Some(1),
            Some(1),
            Some(2),
            Some(0),
            None,
            Some(3),
        ];
        assert_eq!(found, expected);
        assert_eq!(outer_owners(&stretches), [None, Some(0), Some(0), None]);
        assert_eq!(
            outer_owners(&intervals(&[(5, 5), (5, 5), (5, 7)])),
            [None, Some(0), None]
        );
    }

    #[test]
    fn a_million_levels_take_no_stack() {
        let depth = 1_000_000;
        let stretches: Vec<_> = (0..depth).map(|at| (at, 2 * depth - at)).collect();
        let mut count = 0;
        let found = cut_around_inner(&intervals(&stretches), |_| count += 1);
        assert_eq!(found, Overlaps::default());
        assert_eq!(count, 2 * depth - 1);
    }
}
