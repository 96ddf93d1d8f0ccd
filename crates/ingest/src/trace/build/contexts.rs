//! Contexts: the path of definitions that each grain belongs to.

use sheaf_model::table::{GrainKind, flags};

use super::definitions::{DefinitionIdx, DefinitionTable};
use super::records::{Grain, NONE, PauseKind, Records, Region, Slot, mark};
use super::sites::SiteId;
use super::tally::Tally;
use crate::run_tables::ContextTree;
use crate::symbols::ConstructKind;
use crate::trace::WorkKind;

/// Row of a context while the tree grows.
pub(super) type ContextIdx = u32;

/// Where every grain belongs.
#[derive(Debug, Default)]
pub(super) struct Placement {
    /// Context of each grain; [`NONE`] for those that are folded away.
    pub(super) grains: Vec<ContextIdx>,
    /// Context of the work that a member does in a construct outside chunks.
    pub(super) passes: Vec<ContextIdx>,
    /// Context of each pause: the lock or call that a grain waits for, in the context of its work.
    pub(super) pauses: Vec<ContextIdx>,
    /// Definition of each construct, region and taskloop, where one of its grains is placed.
    pub(super) constructs: Vec<DefinitionIdx>,
    pub(super) regions: Vec<DefinitionIdx>,
    pub(super) taskloops: Vec<DefinitionIdx>,
    pub(super) tree: ContextTree,
}

/// Names by process.
pub(super) struct Names {
    pub(super) programs: Vec<String>,
    /// Functions of MPI by number.
    pub(super) calls: Vec<Vec<String>>,
}

/// Places all grains.
pub(super) fn place(
    records: &mut Records,
    names: &Names,
    definitions: &mut DefinitionTable<'_>,
    tally: &mut Tally,
) -> Placement {
    let mut placement = Placement {
        grains: vec![NONE; records.grains.len()],
        passes: vec![NONE; records.passes.len()],
        pauses: Vec::new(),
        constructs: vec![NONE; records.constructs.len()],
        regions: vec![NONE; records.regions.len()],
        taskloops: vec![NONE; records.taskloops.len()],
        tree: ContextTree::default(),
    };
    let mut placer = Placer {
        names,
        definitions,
        placement: &mut placement,
        tally,
    };
    placer.place_all(records);
    placer.place_passes(records);
    placer.place_pauses(records);
    placement
}

struct Placer<'a, 's> {
    names: &'a Names,
    definitions: &'a mut DefinitionTable<'s>,
    placement: &'a mut Placement,
    tally: &'a mut Tally,
}

impl Placer<'_, '_> {
    /// Places every grain after the one that created it, with an own stack instead of recursion.
    fn place_all(&mut self, records: &mut Records) {
        const OPEN: ContextIdx = NONE - 1;
        let mut stack = Vec::new();
        for slot in (0..).take(records.grains.len()) {
            stack.push(slot);
            while let Some(&top) = stack.last() {
                let state = self.placement.grains[top as usize];
                if records.grain(top).is(mark::FOLDED) || (state != NONE && state != OPEN) {
                    stack.pop();
                    continue;
                }
                let parent = parent_of(records, top);
                let parent_state = self.placement.grains.get(parent as usize).copied();
                match parent_state {
                    Some(NONE) if !records.grain(parent).is(mark::FOLDED) => {
                        self.placement.grains[top as usize] = OPEN;
                        stack.push(parent);
                    }
                    // A parent that waits for its own child, or that is not a grain: damage.
                    Some(NONE | OPEN) => {
                        cut_loose(records, top);
                        self.tally.orphans += 1;
                    }
                    _ => {
                        let context = self.context_of(records, top, parent);
                        self.placement.grains[top as usize] = context;
                        stack.pop();
                    }
                }
            }
        }
    }

    fn context_of(&mut self, records: &mut Records, slot: Slot, parent: Slot) -> ContextIdx {
        let grain = records.grain(slot);
        let (kind, site, fallback, pass) = match grain.kind {
            GrainKind::Initial => return self.program(grain.process),
            GrainKind::Implicit => {
                let region = &records.regions[grain.origin as usize];
                (
                    ConstructKind::Parallel,
                    region.site,
                    SiteId::NONE,
                    region.pass,
                )
            }
            GrainKind::Task => (ConstructKind::Task, grain.site, SiteId::NONE, grain.pass),
            GrainKind::TaskloopChunk => {
                let taskloop = &records.taskloops[grain.origin as usize];
                (
                    ConstructKind::Taskloop,
                    taskloop.site,
                    taskloop.taskgroup,
                    taskloop.pass,
                )
            }
            GrainKind::Chunk => {
                let construct = &records.constructs[grain.origin as usize];
                let kind = kind_of(construct.kind);
                (kind, construct.site, SiteId::NONE, NONE)
            }
        };
        let origin = grain.origin;
        if parent == NONE {
            return self.program(grain.process);
        }
        let base = self.base(records, parent, pass);
        let around = self.placement.definition(base);
        let is_of_another = self.definitions.is_of_another(kind, site);
        let site = if self.definitions.is_located(kind, site) {
            site
        } else {
            fallback
        };
        let definition = self.definitions.construct(kind, site, around);
        if is_of_another {
            self.tally.moved_sites += 1;
            if self.definitions.is_guess(definition) {
                records.grain_mut(slot).flag(flags::SCHEDULE_DEPENDENT);
            }
        }
        match kind {
            ConstructKind::Parallel => self.placement.regions[origin as usize] = definition,
            ConstructKind::Taskloop => self.placement.taskloops[origin as usize] = definition,
            ConstructKind::Loop | ConstructKind::Sections => {
                self.placement.constructs[origin as usize] = definition;
            }
            _ => {}
        }
        self.placement.tree.child(base, definition)
    }

    fn program(&mut self, process: u32) -> ContextIdx {
        let name = self
            .names
            .programs
            .get(process as usize)
            .map_or("", String::as_str);
        let definition = self.definitions.program(name);
        self.placement.tree.child(NONE, definition)
    }

    /// The context that children of `parent` stand in: its own, or that of the construct.
    fn base(&mut self, records: &Records, parent: Slot, pass: Slot) -> ContextIdx {
        let own = self.placement.grains[parent as usize];
        match records.passes.get(pass as usize) {
            Some(row) if row.grain == parent => self.construct_context(records, row.construct, own),
            _ => own,
        }
    }

    fn construct_context(
        &mut self,
        records: &Records,
        construct: Slot,
        own: ContextIdx,
    ) -> ContextIdx {
        let row = &records.constructs[construct as usize];
        let kind = kind_of(row.kind);
        let around = self.placement.definition(own);
        let definition = self.definitions.construct(kind, row.site, around);
        self.placement.constructs[construct as usize] = definition;
        self.placement.tree.child(own, definition)
    }

    /// Where a loop has chunks, what a member does outside them is book-keeping of the region;
    /// otherwise its work in the construct is the construct's.
    fn place_passes(&mut self, records: &Records) {
        for (pass, row) in records.passes.iter().enumerate() {
            let own = self.placement.grains[row.grain as usize];
            let has_chunks = !records.constructs[row.construct as usize].chunks.is_empty();
            self.placement.passes[pass] = if own == NONE || has_chunks {
                own
            } else {
                self.construct_context(records, row.construct, own)
            };
        }
    }
}

impl Placer<'_, '_> {
    fn place_pauses(&mut self, records: &Records) {
        let mut contexts = Vec::with_capacity(records.pauses.len());
        for pause in &records.pauses {
            let key = pause.key;
            let base = self.placement.context(key.grain, key.pass);
            contexts.push(if base == NONE {
                NONE
            } else {
                let around = self.placement.definition(base);
                let definition = match key.what {
                    PauseKind::Lock(kind, site) => self.definitions.construct(kind, site, around),
                    PauseKind::Call(call) => {
                        let process = records.grain(key.grain).process as usize;
                        let names = self.names.calls.get(process);
                        let name = names.and_then(|names| names.get(usize::from(call)));
                        self.definitions.call(name.map_or("MPI", String::as_str))
                    }
                };
                self.placement.tree.child(base, definition)
            });
        }
        self.placement.pauses = contexts;
    }
}

/// Kind of construct that events of this kind report.
fn kind_of(work: WorkKind) -> ConstructKind {
    match work {
        WorkKind::SingleExecutor | WorkKind::SingleOther => ConstructKind::Single,
        WorkKind::Sections => ConstructKind::Sections,
        _ => ConstructKind::Loop,
    }
}

/// The grain that a grain hangs on; [`NONE`] for initial tasks.
pub(super) fn parent_of(records: &Records, slot: Slot) -> Slot {
    parent_in(&records.regions, records.grain(slot))
}

/// The same of a grain that is not in the list any more.
pub(super) fn parent_in(regions: &[Region], grain: &Grain) -> Slot {
    match grain.kind {
        GrainKind::Initial => NONE,
        GrainKind::Implicit => regions[grain.origin as usize].parent,
        _ => grain.parent,
    }
}

/// Takes a grain out of a circle of damaged references.
fn cut_loose(records: &mut Records, slot: Slot) {
    let region =
        (records.grain(slot).kind == GrainKind::Implicit).then(|| records.grain(slot).origin);
    if let Some(region) = region {
        records.regions[region as usize].parent = NONE;
    }
    let grain = records.grain_mut(slot);
    grain.parent = NONE;
    grain.flag(flags::SCHEDULE_DEPENDENT | flags::INCOMPLETE);
}

impl Placement {
    /// Context of work that a grain does, in a pass through a construct or not.
    pub(super) fn context(&self, grain: Slot, pass: Slot) -> ContextIdx {
        match self.passes.get(pass as usize) {
            Some(&context) => context,
            None => self.grains.get(grain as usize).copied().unwrap_or(NONE),
        }
    }

    /// Definition that a context ends in.
    pub(super) fn definition(&self, context: ContextIdx) -> DefinitionIdx {
        self.tree.definition(context).unwrap_or(0)
    }
}
