//! Finds the node that the first node of a grain follows.

use sheaf_model::RunTables;
use sheaf_model::table::GrainKind;

use super::super::SetKind;
use super::super::timeline::Timelines;

/// Whether a grain runs inside of its parent.
pub(super) fn is_inline(timelines: &Timelines<'_>, grain: u32) -> bool {
    kind(timelines.run(), grain) == Some(GrainKind::Chunk)
        && timelines.structure().parent(grain).is_some()
}

pub(super) fn kind(run: &RunTables, grain: u32) -> Option<GrainKind> {
    let (kinds, row) = (&run.grains.kind, grain as usize);
    let code = (row < kinds.len()).then(|| kinds.value(row))?;
    GrainKind::from_code(code)
}

/// The region whose fork leads to a grain, or nothing if it is not a member of a team.
pub(super) fn region(timelines: &Timelines<'_>, grain: u32) -> Option<u32> {
    let structure = timelines.structure();
    let set = structure.set_of(grain)?;
    let kind = structure.sets().get(set as usize)?.kind;
    (kind == SetKind::Members).then_some(set)
}

/// Whether a fork leads to a grain, or the grain that it runs inside of.
pub(super) fn is_created(timelines: &Timelines<'_>, grain: u32) -> bool {
    match kind(timelines.run(), grain) {
        Some(GrainKind::Implicit) => region(timelines, grain).is_some(),
        kind => kind.is_some(),
    }
}
