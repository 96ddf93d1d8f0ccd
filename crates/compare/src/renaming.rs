//! Definitions that have another name in other versions of a program, followed as one.
//!
//! Links between names come from the matching of two versions and from statements of the user. They are taken
//! strictest first, and only where they make no two definitions one that occur together in a version, nor
//! two that the user stated to be different. Whatever is computed from the runs then sees one definition, the
//! newest, in every run: ids of contexts are those that its paths would have under that name.

mod apply;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use sheaf_model::{DefinitionId, ParamValue, RunSummary, table::DefinitionRow};

use crate::diff::Mapping;
use sheaf_answers::{MatchedBy, Note, RenameConflict, RenameFact, Renamed};

/// Two definitions that are the same under different names.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RenameLink {
    /// The definitions; of versions the older one first.
    pub definitions: [DefinitionId; 2],
    /// How that was found.
    pub matched_by: MatchedBy,
    /// How sure it is, 0..1; 1 unless it was inferred.
    pub score: f64,
}

/// Runs whose definitions occur together: of a version, say.
#[derive(Debug, Clone)]
pub struct RunSet<'a> {
    /// Name for people.
    pub name: String,
    /// Its runs.
    pub runs: Vec<&'a RunSummary>,
}

/// One definition under one of its names.
#[derive(Debug, Clone, PartialEq)]
pub struct RenamedName {
    /// The definition.
    pub definition: DefinitionId,
    /// Its name for people.
    pub name: Arc<str>,
    /// The first set of runs in which it occurs.
    pub run_set: usize,
    /// How it was found to be what the name before it is; absent of the first.
    pub link: Option<(MatchedBy, f64)>,
}

/// Which definitions are one.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Renaming {
    /// Names of each definition that has several, oldest first.
    classes: Vec<Vec<RenamedName>>,
    /// Place of each of these definitions among the classes.
    class_of: BTreeMap<DefinitionId, usize>,
    /// The newest definition of each class, as a run has it.
    newest: Vec<DefinitionRow>,
    /// Constructs of the runs at hand that have the number of another one in the newest runs: what they are there.
    numbers: BTreeMap<DefinitionId, DefinitionId>,
    /// Constructs that have another number in some runs.
    renumbered: BTreeSet<DefinitionId>,
    /// Links that were not followed, and why.
    notes: Vec<Note>,
}

impl Renaming {
    /// Follows `links` and what `mapping` says over `run_sets`, oldest first. Logarithmic in the definitions for
    /// each of the sets' definitions and links.
    pub fn new(links: &[RenameLink], mapping: &Mapping, run_sets: &[RunSet<'_>]) -> Self {
        let definitions = Definitions::new(run_sets);
        let stated = definitions.stated(mapping);
        let mut all: Vec<RenameLink> = links.to_vec();
        for (&(a, b), _) in stated.iter().filter(|(_, is_same)| **is_same) {
            all.push(RenameLink {
                definitions: [a, b],
                matched_by: MatchedBy::Confirmed,
                score: 1.0,
            });
        }
        let rank = |by: MatchedBy| match by {
            // Statements of the user come before names.
            MatchedBy::Confirmed => 0,
            MatchedBy::Path | MatchedBy::Context | MatchedBy::Definition => 1,
            MatchedBy::Normalised => 2,
            MatchedBy::Template => 3,
            MatchedBy::Inferred => 4,
        };
        all.sort_by(|x, y| {
            let ranks = rank(x.matched_by).cmp(&rank(y.matched_by));
            let scores = y.score.total_cmp(&x.score);
            ranks
                .then(scores)
                .then_with(|| x.definitions.cmp(&y.definitions))
        });
        let different: Vec<(DefinitionId, DefinitionId)> = stated
            .iter()
            .filter(|(_, is_same)| !**is_same)
            .map(|(pair, _)| *pair)
            .collect();
        let mut sets = Sets {
            definitions: &definitions,
            different,
            members: BTreeMap::new(),
            root: BTreeMap::new(),
            notes: Vec::new(),
        };
        let mut followed: BTreeMap<(DefinitionId, DefinitionId), (MatchedBy, f64)> =
            BTreeMap::new();
        for link in &all {
            if sets.join(link) {
                let [a, b] = link.definitions;
                for pair in [(a, b), (b, a)] {
                    followed
                        .entry(pair)
                        .or_insert((link.matched_by, link.score));
                }
            }
        }
        let Sets { members, notes, .. } = sets;
        let mut renaming = Self {
            notes,
            ..Self::default()
        };
        for members in members.into_values() {
            renaming.add_class(&members, &definitions, &followed);
        }
        renaming
    }

    fn add_class(
        &mut self,
        members: &BTreeSet<DefinitionId>,
        definitions: &Definitions,
        followed: &BTreeMap<(DefinitionId, DefinitionId), (MatchedBy, f64)>,
    ) {
        let mut known: Vec<(&About, DefinitionId)> = members
            .iter()
            .filter_map(|id| Some((definitions.about.get(id)?, *id)))
            .collect();
        known.sort_by_key(|(about, id)| (about.run_sets.first().copied(), *id));
        // The one that the newest set of runs has stands for all.
        let newest = known
            .iter()
            .max_by_key(|(about, id)| (about.run_sets.last().copied(), *id));
        let Some((newest, _)) = newest.filter(|_| known.len() > 1) else {
            return;
        };
        let mut names: Vec<RenamedName> = Vec::with_capacity(known.len());
        for (about, id) in &known {
            let mut before = names.iter().rev();
            let link = before.find_map(|before| followed.get(&(before.definition, *id)).copied());
            // Found by way of a third.
            let weakest = || {
                let of = |pair: &(DefinitionId, DefinitionId)| pair.1 == *id;
                let links = followed.iter().filter(|(pair, _)| of(pair));
                links
                    .map(|(_, link)| *link)
                    .min_by(|x, y| x.1.total_cmp(&y.1))
            };
            names.push(RenamedName {
                definition: *id,
                name: about.row.name.as_str().into(),
                run_set: about.run_sets.first().copied().unwrap_or(0),
                link: if names.is_empty() {
                    None
                } else {
                    link.or_else(weakest)
                },
            });
            self.class_of.insert(*id, self.classes.len());
        }
        self.newest.push(newest.row.clone());
        self.classes.push(names);
    }

    /// Definitions that have several names, as answers have them; `versions` are those of the sets, if these are
    /// versions.
    pub fn answer(&self, versions: &[ParamValue]) -> Vec<Renamed> {
        let name = |name: &RenamedName| sheaf_answers::RenamedName {
            name: name.name.to_string(),
            group: name.definition.to_string(),
            version: versions.get(name.run_set).cloned(),
            matched_by: name.link.map(|(by, _)| by),
            score: name.link.map(|(_, score)| score),
        };
        let all = self.classes.iter().zip(&self.newest);
        all.map(|(names, newest)| Renamed {
            group: DefinitionId(newest.id).to_string(),
            names: names.iter().map(name).collect(),
        })
        .collect()
    }

    /// Whether every definition has one name and one number.
    pub fn is_empty(&self) -> bool {
        self.classes.is_empty() && self.renumbered.is_empty()
    }

    /// The same for both sides of a comparison of runs that were numbered as the newest: for the older runs, whose own
    /// tables have the numbers before, and for the newer ones. `numbers` has what a construct of the older runs is.
    pub(crate) fn numbered(
        mut self,
        numbers: BTreeMap<DefinitionId, DefinitionId>,
        notes: Vec<Note>,
    ) -> [Self; 2] {
        self.renumbered = numbers.values().copied().collect();
        self.notes.extend(notes);
        let newer = self.clone();
        self.numbers = numbers;
        [self, newer]
    }

    /// Whether a definition has another number in some runs.
    pub(crate) fn is_renumbered(&self, definition: DefinitionId) -> bool {
        self.renumbered.contains(&self.number(definition))
    }

    /// The definition under its number in the newest runs.
    fn number(&self, definition: DefinitionId) -> DefinitionId {
        self.numbers.get(&definition).copied().unwrap_or(definition)
    }

    /// Names of every definition that has several, oldest first.
    pub fn classes(&self) -> &[Vec<RenamedName>] {
        &self.classes
    }

    /// Links that were not followed, and why.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// The definition that stands for another: itself, where that has one name.
    pub fn id(&self, definition: DefinitionId) -> DefinitionId {
        let definition = self.number(definition);
        let newest = self
            .class_of
            .get(&definition)
            .and_then(|&class| self.newest.get(class));
        newest.map_or(definition, |row| DefinitionId(row.id))
    }

    /// Names of a definition, oldest first; none where it has but one.
    pub fn names(&self, definition: DefinitionId) -> &[RenamedName] {
        let class = self
            .class_of
            .get(&self.number(definition))
            .and_then(|&class| self.classes.get(class));
        class.map_or(&[], Vec::as_slice)
    }

    /// All names of a definition, oldest first, with arrows between; absent where it has but one.
    pub fn joined(&self, definition: DefinitionId) -> Option<String> {
        let names: Vec<&str> = self
            .names(definition)
            .iter()
            .map(|one| one.name.as_ref())
            .collect();
        (!names.is_empty()).then(|| names.join(" → "))
    }
}

/// What is known of a definition.
struct About {
    /// As the first run that has it writes it.
    row: DefinitionRow,
    /// Stages that have it, ascending.
    run_sets: Vec<usize>,
}

struct Definitions<'a> {
    about: BTreeMap<DefinitionId, About>,
    run_sets: &'a [RunSet<'a>],
}

impl<'a> Definitions<'a> {
    fn new(run_sets: &'a [RunSet<'a>]) -> Self {
        let mut about: BTreeMap<DefinitionId, About> = BTreeMap::new();
        for (run_set, runs) in run_sets.iter().enumerate() {
            // Most runs of a version have one table.
            let mut seen: BTreeSet<&[u8]> = BTreeSet::new();
            for run in &runs.runs {
                let table = &run.definitions;
                if !seen.insert(table.id.value_data()) {
                    continue;
                }
                for at in 0..table.len() {
                    let id = DefinitionId(table.id.value(at).try_into().unwrap_or_default());
                    let known = about.entry(id).or_insert_with(|| About {
                        row: table.row(at),
                        run_sets: Vec::new(),
                    });
                    if known.run_sets.last() != Some(&run_set) {
                        known.run_sets.push(run_set);
                    }
                }
            }
        }
        Self { about, run_sets }
    }

    /// Statements of the mapping about definitions of the sets; the last one about a pair counts.
    fn stated(&self, mapping: &Mapping) -> BTreeMap<(DefinitionId, DefinitionId), bool> {
        let mut stated = BTreeMap::new();
        if mapping.entries.is_empty() {
            return stated;
        }
        let mut by_name: BTreeMap<String, Vec<DefinitionId>> = BTreeMap::new();
        for (id, about) in &self.about {
            by_name.entry(about.row.name.clone()).or_default().push(*id);
            by_name.entry(id.to_string()).or_default().push(*id);
        }
        for entry in &mapping.entries {
            let (Some(first), Some(second)) = (by_name.get(&entry.a), by_name.get(&entry.b)) else {
                continue;
            };
            for &a in first {
                for &b in second.iter().filter(|&&b| b != a) {
                    stated.insert((a.min(b), a.max(b)), entry.is_same);
                }
            }
        }
        stated
    }
}

/// Definitions that are one, while links are followed.
struct Sets<'a> {
    definitions: &'a Definitions<'a>,
    different: Vec<(DefinitionId, DefinitionId)>,
    /// By the definition that the set began with.
    members: BTreeMap<DefinitionId, BTreeSet<DefinitionId>>,
    root: BTreeMap<DefinitionId, DefinitionId>,
    notes: Vec<Note>,
}

impl Sets<'_> {
    /// Makes one of two sets where nothing speaks against it; says whether the two ends are one then.
    fn join(&mut self, link: &RenameLink) -> bool {
        let roots = link
            .definitions
            .map(|id| self.root.get(&id).copied().unwrap_or(id));
        if roots[0] == roots[1] {
            return true;
        }
        let set = |root: DefinitionId| {
            let members = self.members.get(&root).cloned();
            members.unwrap_or_else(|| BTreeSet::from([root]))
        };
        let [first, second] = roots.map(set);
        if let Some(conflict) = self.against(&first, &second) {
            let [a, b] = link.definitions.map(|id| self.name(id));
            let stated = link.matched_by == MatchedBy::Confirmed;
            let note = Note::from(RenameFact::NotFollowed {
                a,
                b,
                stated,
                conflict,
            });
            if !self.notes.contains(&note) {
                self.notes.push(note);
            }
            return false;
        }
        let joined: BTreeSet<DefinitionId> = first.union(&second).copied().collect();
        for root in roots {
            self.members.remove(&root);
        }
        let root = roots[0].min(roots[1]);
        for member in &joined {
            self.root.insert(*member, root);
        }
        self.members.insert(root, joined);
        true
    }

    /// Why two sets cannot be one.
    fn against(
        &self,
        first: &BTreeSet<DefinitionId>,
        second: &BTreeSet<DefinitionId>,
    ) -> Option<RenameConflict> {
        let are_in = |a: &DefinitionId, b: &DefinitionId| first.contains(a) && second.contains(b);
        let rejected = self
            .different
            .iter()
            .find(|(a, b)| are_in(a, b) || are_in(b, a));
        if let Some((a, b)) = rejected {
            let [a, b] = [a, b].map(|id| self.name(*id));
            return Some(RenameConflict::StatedDifferent { a, b });
        }
        let mut owners: BTreeMap<usize, DefinitionId> = BTreeMap::new();
        for (id, about) in self.about(first) {
            owners.extend(about.run_sets.iter().map(|&run_set| (run_set, id)));
        }
        for (id, about) in self.about(second) {
            if let Some((run_set, other)) = about
                .run_sets
                .iter()
                .find_map(|run_set| Some((*run_set, owners.get(run_set)?)))
            {
                let run_set = self.definitions.run_sets[run_set].name.clone();
                let [a, b] = [*other, id].map(|id| self.name(id));
                return Some(RenameConflict::BothOccur { run_set, a, b });
            }
        }
        None
    }

    fn about<'b>(
        &'b self,
        ids: &'b BTreeSet<DefinitionId>,
    ) -> impl Iterator<Item = (DefinitionId, &'b About)> {
        ids.iter()
            .filter_map(|id| Some((*id, self.definitions.about.get(id)?)))
    }

    fn name(&self, id: DefinitionId) -> String {
        let about = self.definitions.about.get(&id);
        about.map_or_else(|| id.to_string(), |about| about.row.name.clone())
    }
}
