//! Which grains a change of work concerns.

use sheaf_model::{Expression, Progress};

use super::super::OpenRun;
use super::super::grains::GrainsQuestion;
use super::super::names::{small_at, text_at};
use super::Faster;
use super::prepared::MILLION;
use crate::Error;

/// Names on a path at most; the others do not fit a pattern that people write.
const MAX_NAMES: usize = 1024;

impl OpenRun {
    /// Lets the grains that `faster` names keep less of their work, in millionths.
    ///
    /// # Errors
    /// When no grain is named so.
    pub(super) fn keep_less(
        &self,
        faster: &Faster,
        kept: &mut Vec<u32>,
        progress: &Progress,
    ) -> Result<(), Error> {
        let grains = self.tables().grains.len();
        if kept.is_empty() {
            kept.resize(grains, MILLION);
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a number from 0 to 1,000,000"
        )]
        let rest = (f64::from(MILLION) - faster.percent * 1e4).round() as u64;
        let mut keep = |grain: usize| {
            if let Some(slot) = kept.get_mut(grain) {
                let left = u64::from(*slot) * rest / u64::from(MILLION);
                *slot = u32::try_from(left).unwrap_or(MILLION);
            }
        };
        let unknown = match self.definition_called(&faster.what) {
            Ok(definition) => {
                let is_of = |&grain: &usize| self.definition(grain) == Some(definition as usize);
                (0..grains).filter(is_of).for_each(keep);
                return Ok(());
            }
            Err(unknown) => unknown,
        };
        if let Some(is_of) = self.contexts_ending_with(&faster.what) {
            let contexts = self.tables().grains.context.values();
            for (grain, context) in contexts.iter().enumerate() {
                let context = usize::try_from(context).ok();
                if context.and_then(|at| is_of.get(at)) == Some(&true) {
                    keep(grain);
                }
            }
            return Ok(());
        }
        let is_expression =
            faster.what.contains(['=', '<', '>', '(']) || faster.what.contains(" and ");
        let expression: Result<Expression, _> = faster.what.parse();
        let Some(filter) = expression.ok().filter(|_| is_expression) else {
            if !faster.what.contains(" / ") {
                return Err(unknown);
            }
            return Err(Error::UnknownDefinition {
                name: faster.what.clone(),
                nearest: "; no path of the run ends with these names one below the other"
                    .to_owned(),
            });
        };
        let question = GrainsQuestion {
            filter: Some(filter),
            is_with_implicit: true,
            ..GrainsQuestion::default()
        };
        let rows = self.chosen(&question, progress)?;
        if rows.is_empty() {
            return Err(Error::UnknownDefinition {
                name: faster.what.clone(),
                nearest: "; the expression holds for no grain of the run".to_owned(),
            });
        }
        rows.iter().for_each(|&grain| keep(grain as usize));
        Ok(())
    }

    /// Whether each context is below a path that ends with these names; absent if none is or the text is not a path.
    fn contexts_ending_with(&self, pattern: &str) -> Option<Vec<bool>> {
        let names: Vec<&str> = pattern.split(" / ").map(str::trim).collect();
        if names.len() < 2 || names.len() > MAX_NAMES {
            return None;
        }
        let summary = &self.tables().summary;
        let (contexts, definitions) = (&summary.contexts, &summary.definitions);
        let is_called = |context: usize, name: &str| {
            let definition = contexts.definition.values().get(context);
            let definition = definition.and_then(|&row| usize::try_from(row).ok());
            definition.is_some_and(|row| {
                text_at(&definitions.name, row) == Some(name)
                    || text_at(&definitions.function, row) == Some(name)
            })
        };
        let parent = |context: usize| {
            small_at(&contexts.parent, context).and_then(|row| usize::try_from(row).ok())
        };
        let ends = |context: usize| {
            let mut at = Some(context);
            names.iter().rev().all(|name| {
                let found = at.is_some_and(|context| is_called(context, name));
                at = at.and_then(parent);
                found
            })
        };
        let found: Vec<bool> = (0..contexts.len()).map(ends).collect();
        found.contains(&true).then_some(found)
    }
}
