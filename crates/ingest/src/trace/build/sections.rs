//! Sections: runtimes report them like loops, as many iterations as there are sections.

use super::records::{Range, Records, Slot};
use super::sites::{Site, SiteId};
use crate::symbols::ConstructKind;
use crate::trace::WorkKind;

/// The sections that a member of a team executes; `None` for a member that gets none.
///
/// Clang has the runtime divide sections like the iterations of a loop with static schedule and reports no range. LLVM's
/// runtime gives each member as many as the first, rounded up, until none are left (`__kmp_for_static_init`).
pub(super) fn range_of_member(count: u64, team_size: u32, member: u32) -> Option<Range> {
    let size = count.div_ceil(u64::from(team_size.max(1)));
    let first = size.checked_mul(u64::from(member))?;
    let left = count.checked_sub(first).filter(|left| *left > 0)?;
    Some(Range {
        first: i64::try_from(first).ok()?,
        iterations: size.min(left),
        forks: 0,
        forks_before: 0,
    })
}

/// Recognises sections among the loops of programs that GCC compiled, by the call that begins them: that of the
/// construct, or that of the region for `parallel sections`. GCC counts them from 1.
pub(super) fn recognise(records: &mut Records, sites: &[Site]) {
    let begins_sections = |site: SiteId| {
        let site = sites.get(site.0 as usize);
        site.is_some_and(|site| site.code.begins.contains(&ConstructKind::Sections))
    };
    let is_located = |site: SiteId| {
        let site = sites.get(site.0 as usize);
        site.is_some_and(|site| !site.is_in_runtime)
    };
    for construct in &mut records.constructs {
        if !construct.kind.is_loop() {
            continue;
        }
        let region = records.regions.get(construct.region as usize);
        let around = region.map_or(SiteId::NONE, |region| region.site);
        if !is_located(construct.site) && construct.sequence == 0 && begins_sections(around) {
            construct.site = around;
        }
        if !begins_sections(construct.site) {
            continue;
        }
        construct.kind = WorkKind::Sections;
        let ranges: Vec<Slot> = construct
            .chunks
            .iter()
            .filter_map(|&chunk| Some(records.grains.get(chunk as usize)?.range))
            .collect();
        for range in ranges {
            if let Some(range) = records.ranges.get_mut(range as usize) {
                range.first = range.first.saturating_sub(1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::range_of_member;

    #[test]
    fn sections_are_divided_as_the_runtime_divides_them() {
        for (count, team, expected) in [
            (3, 2, vec![(0, 2), (2, 1)]),
            (3, 4, vec![(0, 1), (1, 1), (2, 1)]),
            (5, 4, vec![(0, 2), (2, 2), (4, 1)]),
            (4, 1, vec![(0, 4)]),
            (0, 2, vec![]),
        ] {
            let ranges = (0..team).filter_map(|member| range_of_member(count, team, member));
            let ranges: Vec<_> = ranges
                .map(|range| (range.first, range.iterations))
                .collect();
            assert_eq!(ranges, expected, "{count} sections, {team} members");
        }
        assert!(range_of_member(u64::MAX, 0, u32::MAX).is_none());
    }
}
