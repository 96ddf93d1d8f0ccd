//! What replaying counts, and what it becomes in the import report.

use sheaf_model::Report;

/// Counts of events and of what they did not fit.
#[derive(Debug, Default, Clone)]
pub(super) struct Tally {
    pub(super) events: u64,
    pub(super) unused_events: u64,
    pub(super) unknown_events: u64,
    pub(super) loose_counters: u64,
    pub(super) adopted_tasks: u64,
    pub(super) unfinished_tasks: u64,
    pub(super) repeated_ends: u64,
    pub(super) odd_creations: u64,
    pub(super) odd_regions: u64,
    pub(super) orphans: u64,
    pub(super) folded_tasks: u64,
    pub(super) folded_helpers: u64,
    pub(super) chunk_lists: u64,
    pub(super) computed_ranges: u64,
    pub(super) repeated_paths: u64,
    pub(super) dropped_dependences: u64,
    pub(super) unmatched_pairs: u64,
    pub(super) unlocated_sites: u64,
    pub(super) moved_sites: u64,
}

impl Tally {
    pub(super) fn report(&self, report: &mut Report) {
        for (kind, count) in [
            ("read_events", self.events),
            ("skipped_events_without_use", self.unused_events),
            ("skipped_unknown_events", self.unknown_events),
            (
                "skipped_counter_readings_outside_grains",
                self.loose_counters,
            ),
            ("skipped_repeated_task_ends", self.repeated_ends),
            ("skipped_contradicting_task_creations", self.odd_creations),
            ("skipped_contradicting_region_events", self.odd_regions),
            ("skipped_taskloop_splitting_tasks", self.folded_tasks),
            ("skipped_waiting_helper_threads", self.folded_helpers),
            ("skipped_dependence_edges", self.dropped_dependences),
            (
                "skipped_dependence_pairs_without_edge",
                self.unmatched_pairs,
            ),
            ("repaired_tasks_from_before_fork", self.adopted_tasks),
            ("repaired_unfinished_tasks", self.unfinished_tasks),
            ("repaired_orphan_tasks", self.orphans),
            ("repaired_static_chunk_lists", self.chunk_lists),
            ("repaired_taskloop_ranges", self.computed_ranges),
            ("repaired_equal_paths", self.repeated_paths),
            ("repaired_tasks_with_site_of_region", self.moved_sites),
            ("skipped_sites_inside_runtime", self.unlocated_sites),
        ] {
            report.add(kind, count, || None);
        }
    }
}
