//! Causes as rows of the answer, and in words.

use std::collections::BTreeMap;

use sheaf_answers::{Cause, ExplainFact, LocatedGroup, Locations, Note, Verdict, text as english};
use sheaf_compare::explain::{Concern, FoundCause, FoundView, StructureChange};
use sheaf_compare::renaming::Renaming;
use sheaf_model::{DefinitionId, Lens, Level, Operation};

use super::MAX_SENTENCES;

/// Names of a path at most, the innermost: those of 10,000 nested calls together would have 50 million.
const MAX_NAMES: usize = 64;
/// Least share of the difference that is worth a sentence where noise is unknown.
const MIN_SHARE: f64 = 0.05;

/// Turns causes into rows of the answer.
pub(super) struct Described<'a> {
    pub(super) lens: &'a Lens,
    /// The contexts of call profiles.
    pub(super) located: Option<&'a Locations>,
    pub(super) unit: &'a str,
    pub(super) renaming: &'a Renaming,
    /// Differences of structure.
    pub(super) changes: BTreeMap<DefinitionId, StructureChange>,
    pub(super) names: BTreeMap<DefinitionId, String>,
    pub(super) sites: BTreeMap<DefinitionId, String>,
}

impl Described<'_> {
    fn path(&self, concern: &Concern) -> Vec<String> {
        match concern {
            Concern::Run => Vec::new(),
            Concern::Context(place) => {
                let Some(group) = self.context(*place) else {
                    return Vec::new();
                };
                let (outer, names) = group.path.innermost(MAX_NAMES);
                let outer = (outer > 0).then(|| format!("… {outer} outer names"));
                outer
                    .into_iter()
                    .chain(names.into_iter().map(str::to_owned))
                    .collect()
            }
            Concern::Definition(id) => {
                let joined = self.renaming.joined(*id);
                vec![joined.unwrap_or_else(|| self.names.get(id).cloned().unwrap_or_default())]
            }
        }
    }

    fn context(&self, place: usize) -> Option<&LocatedGroup> {
        self.located?.groups.get(place)
    }

    pub(super) fn cause(&self, view: &FoundView, cause: &FoundCause) -> Cause {
        let path = self.path(&cause.concern);
        let share = share(view, cause);
        let (definition, group) = match &cause.concern {
            Concern::Run => (None, None),
            Concern::Definition(id) => (Some(id), Some(id.to_string())),
            Concern::Context(place) => (None, self.context(*place).map(|it| it.group.clone())),
        };
        Cause {
            by: view.by,
            kind: cause.kind,
            group,
            site: definition.and_then(|id| self.sites.get(id).cloned()),
            part: cause.part,
            delta: cause.delta,
            exact: cause.exact.map(|exact| exact.to_string()),
            share,
            interval: cause.interval,
            p: cause.p,
            q: cause.q,
            verdict: cause.verdict,
            reason: cause.reason.clone(),
            lens: self.shown_by(cause),
            associated: Vec::new(),
            structure: definition.map_or_else(Vec::new, |id| self.structure(*id)),
            text: english::cause(
                cause.kind,
                &path,
                cause.part,
                (self.unit, cause.delta),
                share,
            ),
            path,
        }
    }

    /// Differences of structure that concern a definition.
    fn structure(&self, id: DefinitionId) -> Vec<Note> {
        let mut facts = Vec::new();
        let names = self.renaming.names(id);
        if let [_, .., newest] = names {
            facts.push(ExplainFact::OtherNames {
                names: names.iter().map(|it| it.name.to_string()).collect(),
                matched_by: newest.link.map(|(by, _)| by),
            });
        }
        if let Some(change) = self.changes.get(&id) {
            if let Some([a, b]) = change.grains {
                facts.push(ExplainFact::OtherGrains { a, b });
            }
            let [a, b] = change.parents.each_ref().map(|parents| {
                let names = parents.iter().filter_map(|id| self.names.get(id));
                names.cloned().collect::<Vec<String>>()
            });
            if !(a.is_empty() && b.is_empty()) {
                facts.push(ExplainFact::OtherParents { a, b });
            }
        }
        facts.into_iter().map(Note::from).collect()
    }

    /// The lens that shows what a cause concerns.
    fn shown_by(&self, cause: &FoundCause) -> Option<String> {
        let mut lens = self.lens.clone();
        match &cause.concern {
            Concern::Run => return None,
            Concern::Definition(id) => {
                lens.level = Level::Definition;
                lens.operations = vec![Operation::Focus(id.to_string())];
            }
            Concern::Context(place) => {
                lens.level = Level::Context;
                lens.operations = vec![Operation::Focus(self.context(*place)?.group.clone())];
            }
        }
        Some(lens.to_string())
    }

    /// The causes of a view that exceed noise, in words; the largest where noise is unknown.
    pub(super) fn sentences(&self, view: Option<&FoundView>) -> Vec<String> {
        let Some(view) = view else { return Vec::new() };
        if view.causes.is_empty() {
            return vec!["there is no difference to explain".to_owned()];
        }
        let sentence = |cause: &FoundCause| self.cause(view, cause).text;
        let is_real =
            |cause: &&FoundCause| matches!(cause.verdict, Verdict::Slower | Verdict::Faster);
        let real = view.causes.iter().filter(is_real);
        let mut sentences: Vec<String> = real.take(MAX_SENTENCES).map(sentence).collect();
        if !sentences.is_empty() {
            return sentences;
        }
        let untested = view
            .causes
            .iter()
            .find(|cause| cause.verdict == Verdict::Untestable);
        let Some(untested) = untested else {
            return vec!["no single cause exceeds the noise of these runs".to_owned()];
        };
        sentences.push(format!("{}; these parts differ most", untested.reason));
        let matters =
            |cause: &&FoundCause| share(view, cause).is_some_and(|it| it.abs() >= MIN_SHARE);
        let largest = view.causes.iter().filter(matters).take(MAX_SENTENCES);
        sentences.extend(largest.map(sentence));
        sentences
    }
}

fn share(view: &FoundView, cause: &FoundCause) -> Option<f64> {
    let share = cause.delta / view.delta;
    share.is_finite().then_some(share)
}
