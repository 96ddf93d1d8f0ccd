//! What the grains of a sibling set have in common.

use sheaf_model::table::GrainKind;

use super::column::ToFill;
use super::{Evaluation, Values};
use crate::grain_graph::SiblingSet;

impl Evaluation<'_> {
    /// A column with one value per sibling set.
    pub(super) fn per_set(
        &self,
        mut value: impl FnMut(&SiblingSet, &[u32]) -> Option<f64>,
    ) -> Values {
        let mut column = ToFill::absent(self.run().grains.len());
        let structure = self.structure();
        for set in structure.sets() {
            let members = structure.members(set);
            let value = value(set, members);
            for &member in members {
                column.set(member as usize, value);
            }
        }
        Values::Floats(column.finish())
    }

    pub(super) fn kind(&self, row: usize) -> GrainKind {
        let kinds = &self.run().grains.kind;
        let code = if row < kinds.len() {
            kinds.value(row)
        } else {
            -1
        };
        GrainKind::from_code(code).unwrap_or(GrainKind::Task)
    }

    /// Own work of a grain.
    pub(super) fn work(&self, row: usize) -> Option<i64> {
        let work = &self.run().grains.work;
        (row < work.len() && work.is_valid(row)).then(|| work.value(row))
    }

    /// Location that finished a grain.
    pub(super) fn location(&self, row: usize) -> Option<i32> {
        let location = &self.run().grains.location;
        (row < location.len() && location.is_valid(row)).then(|| location.value(row))
    }
}

/// The middle of sorted values, the mean of the middle two where their number is even.
pub(super) fn median(sorted: &[i64]) -> Option<f64> {
    let middle = sorted.len() / 2;
    let upper = *sorted.get(middle)?;
    if sorted.len() % 2 == 1 {
        return Some(upper as f64);
    }
    let lower = *sorted.get(middle.checked_sub(1)?)?;
    // As integers, so that the mean of large values is exact.
    Some((i128::from(lower) + i128::from(upper)) as f64 / 2.0)
}
