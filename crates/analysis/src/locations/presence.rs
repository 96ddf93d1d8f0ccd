//! At which locations a group occurs: a value of 0 is not the absence of a value.

use arrow::array::Array;
use sheaf_model::Scope;

use crate::context_sums::{self, LocationAxis};
use crate::measurements::RunView;
use crate::partition::Partition;
use crate::tree::NONE;

/// Whether each group has a value at each lane of a run.
pub(super) struct Presence {
    lanes: usize,
    /// Group by group; empty if the run's values are not known by location.
    is_there: Vec<bool>,
}

impl Presence {
    /// Reads the rows of the run's values of the metric in question. An inclusive value is there if one of the group's
    /// contexts has a value, or a context below.
    pub(super) fn read(
        view: &RunView<'_>,
        lanes: LocationAxis,
        partition: &Partition,
        scope: Scope,
    ) -> Self {
        let (lane_of, lanes) = context_sums::lane_of(&view.run.locations, lanes);
        let Some(metric) = view.metric else {
            return Self {
                lanes,
                is_there: Vec::new(),
            };
        };
        let values = &view.run.values;
        let mut of_context = vec![false; view.nodes.len() * lanes];
        let mut has_rows = false;
        for row in 0..values.len() {
            let is_value = if metric.is_integer {
                values.sum.is_valid(row)
            } else {
                values.sum_float.is_valid(row) && values.sum_float.value(row).is_finite()
            };
            if values.metric.value(row) != metric.row || !is_value {
                continue;
            }
            let context = usize::try_from(values.context.value(row)).unwrap_or(usize::MAX);
            let location = usize::try_from(values.location.value(row)).unwrap_or(usize::MAX);
            if context < view.nodes.len()
                && let Some(lane) = lane_of.get(location).filter(|&&lane| lane < lanes)
            {
                of_context[context * lanes + lane] = true;
                has_rows = true;
            }
        }
        if !has_rows {
            return Self {
                lanes,
                is_there: Vec::new(),
            };
        }
        if scope == Scope::Inclusive {
            join_parents(view.parents, lanes, &mut of_context);
        }
        let mut is_there = vec![false; partition.groups * lanes];
        for (row, &node) in view.nodes.iter().enumerate() {
            let group = partition.group_of[node as usize];
            if group == NONE {
                continue;
            }
            let places = &mut is_there[group as usize * lanes..][..lanes];
            for (place, &own) in places.iter_mut().zip(&of_context[row * lanes..]) {
                *place |= own;
            }
        }
        Self { lanes, is_there }
    }

    /// Whether a group has a value at a lane. Without rows by location, the only location has all values.
    pub(super) fn has(&self, group: usize, lane: usize) -> bool {
        let at = group * self.lanes + lane;
        self.is_there.get(at).copied().unwrap_or(true)
    }
}

/// Parents stand before their children.
fn join_parents(parents: &[u32], lanes: usize, of_context: &mut [bool]) {
    for (row, &parent) in parents.iter().enumerate().rev() {
        if parent == NONE {
            continue;
        }
        let (before, own) = of_context.split_at_mut(row * lanes);
        let places = &mut before[parent as usize * lanes..][..lanes];
        for (place, &own) in places.iter_mut().zip(&own[..lanes]) {
            *place |= own;
        }
    }
}
