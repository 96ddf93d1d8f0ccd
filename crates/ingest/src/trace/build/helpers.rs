//! Threads of a runtime that only wait for asynchronous work (`target nowait`) and run it do not count as workers.
//!
//! LLVM's runtime starts them as a team of its own: a further initial task opens a region inside the runtime, whose
//! members do nothing but run what others created. That initial task and its members are folded away; the tasks
//! that the members run stay, on their threads. These threads are helpers: a run of one thread has one worker, also
//! where a helper ran something at the same time.

use sheaf_model::table::GrainKind;

use super::records::{Grain, NONE, Records, Slot, mark};
use super::sites::Site;
use super::tally::Tally;

/// Folds teams of helpers away.
pub(super) fn fold(records: &mut Records, sites: &[Site], tally: &mut Tally) {
    let roots = helping_roots(records, sites);
    if roots.is_empty() {
        return;
    }
    for slot in 0..super::records::next_slot(&records.grains) {
        let root = root_of_team(records, records.grain(slot)).unwrap_or(slot);
        if roots.contains(&root) {
            let grain = records.grain_mut(slot);
            grain.marks |= mark::FOLDED;
            let thread = grain.location;
            // No thread ran a grain that did not start.
            if let Some(worker) = records.workers.get_mut(thread as usize) {
                worker.is_helper = true;
            }
            tally.folded_helpers += 1;
        }
    }
    let Records {
        grains,
        fragments,
        idles,
        workers,
        ..
    } = records;
    let is_kept = |slot: Slot| {
        grains
            .get(slot as usize)
            .is_some_and(|grain| !grain.is(mark::FOLDED))
    };
    let all = std::mem::take(fragments).into_iter();
    *fragments = all.filter(|fragment| is_kept(fragment.grain)).collect();
    idles.retain(|idle| is_kept(idle.grain));
    for worker in workers.iter_mut() {
        worker.has_worked = false;
    }
    let used = fragments.iter().map(|it| it.location);
    for location in used.chain(idles.iter().map(|it| it.location)) {
        if let Some(worker) = workers.get_mut(location as usize) {
            worker.has_worked = true;
        }
    }
    let is_own = |region: &super::records::Region| !roots.contains(&region.parent);
    let teams = records.regions.iter().filter(|region| is_own(region));
    records.max_team = teams.map(|region| region.team_size).max().unwrap_or(0);
}

/// Initial tasks after the first of their process, all of whose regions are the runtime's own, and that created
/// nothing else, nor their members.
fn helping_roots(records: &Records, sites: &[Site]) -> Vec<Slot> {
    let is_further = |slot: Slot| {
        let grain = records.grains.get(slot as usize);
        grain.is_some_and(|grain| grain.kind == GrainKind::Initial && grain.index > 0)
    };
    let (mut roots, mut others): (Vec<Slot>, Vec<Slot>) = (Vec::new(), Vec::new());
    for region in records
        .regions
        .iter()
        .filter(|region| is_further(region.parent))
    {
        let site = sites.get(region.site.0 as usize);
        let is_of_runtime = site.is_none_or(|site| site.is_in_runtime);
        if is_of_runtime {
            roots.push(region.parent);
        } else {
            others.push(region.parent);
        }
    }
    if roots.is_empty() {
        return roots;
    }
    for grain in &records.grains {
        if grain.kind != GrainKind::Implicit
            && let Some(parent) = records.grains.get(grain.parent as usize)
        {
            others.push(root_of_team(records, parent).unwrap_or(grain.parent));
        }
    }
    others.sort_unstable();
    others.dedup();
    roots.sort_unstable();
    roots.dedup();
    roots.retain(|root| others.binary_search(root).is_err());
    roots
}

/// The initial task that opened the region of a team member.
fn root_of_team(records: &Records, grain: &Grain) -> Option<Slot> {
    let region = records.regions.get(grain.origin as usize)?;
    (grain.kind == GrainKind::Implicit && region.parent != NONE).then_some(region.parent)
}
