//! What happened to the structure, in a few lines.

use std::fmt::Write as _;

use sheaf_answers::{
    CandidateMatch, ChangeKind, Diff, Mapping, MatchedBy, StructuralChange, StructureVerdict,
};
use sheaf_ensemble::both_names;

use crate::render::notes;
use crate::render::selection::Selection;
use crate::render::table::{Kind, Layout, Table};
use crate::render::text::{counted, plain};
use sheaf_answers::text::{count, number, percent};

/// Changes that the text shows.
const SHOWN: usize = 12;
/// Names that the text gives of each kind of edit.
const NAMED: usize = 4;
/// Unmatched work from which it is warned of.
const NOTABLE: f64 = 0.05;

/// The changes of the structure, as sentences and a table.
pub(in crate::render) struct StructureText {
    /// That much of the work is on one side only.
    pub(in crate::render) warning: Option<String>,
    /// The verdict and its reason.
    pub(in crate::render) verdict: String,
    /// Changes by definition; nothing if there are none.
    pub(in crate::render) changes: Option<Table>,
    /// Changes without a row in the table.
    pub(in crate::render) hidden: usize,
    /// Pairs that may be the same.
    pub(in crate::render) possible: Vec<String>,
    /// How much of the work was matched how.
    pub(in crate::render) matched: Option<String>,
    /// How many groups are on which side.
    pub(in crate::render) groups: String,
}

impl StructureText {
    /// At most `limit` changes and possible matches.
    pub(in crate::render) fn of(answer: &Diff, limit: usize) -> Self {
        let change = &answer.structure;
        let unmatched = change.matched_work.unmatched;
        let warning = (unmatched > NOTABLE).then(|| {
            let share = percent(unmatched);
            format!("{share} of the work is not matched: it is on one side only")
        });
        let [common, appeared, vanished] =
            [change.common, change.appeared, change.vanished].map(count);
        Self {
            warning,
            verdict: format!(
                "{}: {}",
                verdict_words(change.verdict),
                plain(change.reason.text())
            ),
            changes: changes_table(answer, limit),
            hidden: change.changes.len().saturating_sub(limit),
            possible: change
                .possible_matches
                .iter()
                .take(limit)
                .map(possible)
                .collect(),
            matched: matched(answer),
            groups: format!("groups: {common} in both, {appeared} appeared, {vanished} vanished"),
        }
    }
}

/// The verdict, what happened, and how much of the work was matched how.
pub(super) fn structure(answer: &Diff, layout: Layout) -> String {
    let parts = StructureText::of(answer, SHOWN);
    let mut text = String::new();
    // Writing to a string does not fail.
    if let Some(warning) = parts.warning {
        let _ = writeln!(text, "  ! {warning}");
    }
    let _ = writeln!(text, "  {}", parts.verdict);
    if let Some(changes) = parts.changes {
        text.push_str(&changes.render(layout, "  "));
    }
    if parts.hidden > 0 {
        let _ = writeln!(text, "  … {} more; `--json` has all", parts.hidden);
    }
    for one in parts.possible {
        let _ = writeln!(text, "  ? {one}");
    }
    if let Some(matched) = parts.matched {
        let _ = writeln!(text, "  {matched}");
    }
    let _ = writeln!(text, "  {}", parts.groups);
    text
}

const fn verdict_words(verdict: StructureVerdict) -> &'static str {
    match verdict {
        StructureVerdict::Same => "the same",
        StructureVerdict::Varies => "varies from run to run",
        StructureVerdict::ThreadCountDependent => "depends on the number of threads",
        StructureVerdict::Changed => "changed",
        StructureVerdict::Different => "different programs",
    }
}

fn changes_table(answer: &Diff, limit: usize) -> Option<Table> {
    let changes = &answer.structure.changes;
    if changes.is_empty() {
        return None;
    }
    let mut table = Table::default()
        .word("")
        .name("")
        .number("")
        .word("")
        .word("");
    let sides = [answer.a.runs.len() as u64, answer.b.runs.len() as u64];
    for one in changes.iter().take(limit) {
        table.row(row(one, sides));
    }
    Some(table)
}

fn matched(answer: &Diff) -> Option<String> {
    let matched = &answer.structure.matched_work;
    let parts = [
        (matched.context, "by context"),
        (matched.definition, "by definition"),
        (matched.normalised, "by normalised definition"),
        (matched.template, "but for template arguments"),
        (matched.confirmed, "as confirmed"),
        (matched.inferred, "inferred"),
        (matched.unmatched, "not"),
    ];
    let parts: Vec<String> = parts
        .iter()
        .filter(|(share, _)| *share > 0.0)
        .map(|(share, how)| format!("{} {how}", percent(*share)))
        .collect();
    (!parts.is_empty()).then(|| format!("work matched: {}", parts.join(", ")))
}

/// What may be the same, and what makes one of the other.
fn possible(found: &CandidateMatch) -> String {
    let last = |path: &[String]| path.last().cloned().unwrap_or_default();
    let (a, b) = (last(&found.path_a), last(&found.path_b));
    let renamed: Vec<String> = found
        .renamed
        .iter()
        .map(|[a, b]| both_names(a, b))
        .collect();
    let edits = [
        ("deleted", &found.deleted),
        ("inserted", &found.inserted),
        ("renamed", &renamed),
    ];
    let edits = edits.iter().filter(|(_, names)| !names.is_empty());
    let edits: Vec<String> = edits.map(|(what, names)| edited(what, names)).collect();
    let text = format!(
        "{a} ({}) may be {b} ({}): {}; if so, `grainsheaf match --pin '{a} = {b}'`",
        counted(found.contexts_a, "context", "contexts"),
        count(found.contexts_b),
        edits.join(", "),
    );
    plain(&text)
}

/// `2 inserted (tile, copy)`; the first few names.
fn edited(what: &str, names: &[String]) -> String {
    let more = if names.len() > NAMED { ", …" } else { "" };
    let first: Vec<&str> = names.iter().take(NAMED).map(String::as_str).collect();
    format!("{} {what} ({}{more})", names.len(), first.join(", "))
}

/// What happened, in a word or two.
pub(in crate::render) const fn kind_words(kind: ChangeKind) -> &'static str {
    match kind {
        ChangeKind::Appeared => "appeared",
        ChangeKind::Vanished => "vanished",
        ChangeKind::Renamed => "renamed",
        ChangeKind::Wrapped => "wrapper added",
        ChangeKind::Unwrapped => "wrapper removed",
        ChangeKind::Moved => "moved",
        ChangeKind::Multiplied => "multiplied",
        ChangeKind::Reordered => "reordered",
        ChangeKind::ThreadCountDependent => "depends on threads",
        ChangeKind::Varies => "varies",
    }
}

/// What happened, where both sides have a definition whose contexts appeared or vanished as well.
const fn what(change: &StructuralChange) -> &'static str {
    let is_both = change.definition_a.is_some() && change.definition_b.is_some();
    match change.kind {
        ChangeKind::Appeared if is_both => "more contexts",
        ChangeKind::Vanished if is_both => "fewer contexts",
        kind => kind_words(kind),
    }
}

fn row(change: &StructuralChange, sides: [u64; 2]) -> [String; 5] {
    [
        what(change).to_owned(),
        names(change),
        percent(change.share),
        contexts(change, sides),
        how(change),
    ]
}

/// Name of the definition, both names where they differ.
pub(in crate::render) fn names(change: &StructuralChange) -> String {
    match (&change.definition_a, &change.definition_b) {
        (Some(a), Some(b)) => both_names(a, b),
        (a, b) => b.as_ref().or(a.as_ref()).cloned().unwrap_or_default(),
    }
}

/// How many contexts, and in how many runs where not in all.
fn contexts(change: &StructuralChange, sides: [u64; 2]) -> String {
    let [a, b] = [change.contexts_a, change.contexts_b];
    let number = match (a, b) {
        (0, one) | (one, 0) => counted(one, "context", "contexts"),
        (a, b) if a == b => counted(a, "context", "contexts"),
        (a, b) => format!("{} → {} contexts", count(a), count(b)),
    };
    let runs = [(a, change.runs_a, sides[0]), (b, change.runs_b, sides[1])];
    let partial = runs
        .iter()
        .filter(|(contexts, runs, all)| *contexts > 0 && runs < all);
    let partial: Vec<String> = partial
        .map(|(_, runs, all)| format!("{runs}/{all} runs"))
        .collect();
    if partial.is_empty() {
        number
    } else {
        format!("{number} in {}", partial.join(" and "))
    }
}

/// Numbers of grains where these are what differs, else how two names were matched.
pub(in crate::render) fn how(change: &StructuralChange) -> String {
    let by_number = matches!(
        change.kind,
        ChangeKind::Multiplied | ChangeKind::ThreadCountDependent | ChangeKind::Varies
    );
    let range = |[least, most]: [i64; 2]| {
        if least == most {
            least.to_string()
        } else {
            format!("{least} … {most}")
        }
    };
    match (
        change.grains_a,
        change.grains_b,
        change.matched_by,
        change.score,
    ) {
        (Some(a), Some(b), _, _) if by_number => format!("{} → {} grains", range(a), range(b)),
        (_, _, Some(MatchedBy::Inferred), Some(score)) => {
            let names = change.name_similarity.map_or_else(String::new, |alike| {
                format!(", names {} alike", percent(alike))
            });
            format!("inferred, score {}{names}", number(score))
        }
        (_, _, Some(by), _) => by.to_string(),
        _ => String::new(),
    }
}

/// Where to look for what the mapping could say.
const LOOK_IN_DIFF: &str = "`grainsheaf diff A B` shows what was inferred between two versions, and what may be the \
                            same (`?`), with the `match --pin` that says so\n";

/// What the store's mapping says.
pub(crate) fn mapping(answer: &Mapping, layout: Layout) -> String {
    if answer.pairs.is_empty() {
        return format!(
            "the mapping says nothing; `--confirm`, `--reject` and `--pin` add to it\n{LOOK_IN_DIFF}"
        );
    }
    let table = Selection::of(answer, "")
        .name("a as definition")
        .made("", Kind::Word, |row, _| {
            let is_same = answer.pairs[row].same;
            (if is_same { "is" } else { "is not" }).to_owned()
        })
        .name("b as definition")
        .made("note", Kind::Word, |row, _| {
            answer.pairs[row].note.clone().unwrap_or_default()
        })
        .first(0);
    format!(
        "{}{LOOK_IN_DIFF}{}",
        table.render(layout, ""),
        notes(&answer.notes, layout)
    )
}
