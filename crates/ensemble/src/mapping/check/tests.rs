//! What is said of mappings, entry by entry.

use sheaf_model::RunMeta;
use sheaf_model::table::DefinitionRow;

use sheaf_answers::Fact;

use super::*;

/// Runs `name: definition definition …`, one a line.
fn runs(text: &str) -> Vec<Arc<RunSummary>> {
    let row = |name: &str| DefinitionRow {
        id: DefinitionId::new("function", name, 0).0,
        kind: "function".to_owned(),
        name: name.to_owned(),
        ..DefinitionRow::default()
    };
    let run = |line: &str| {
        let (name, definitions) = line.trim().split_once(':').unwrap();
        let meta = RunMeta {
            name: name.to_owned(),
            ..RunMeta::new("made", "test")
        };
        let mut run = RunSummary::empty(meta);
        run.definitions = definitions.split_whitespace().map(row).collect();
        Arc::new(run)
    };
    text.trim().lines().map(run).collect()
}

/// Entries `a = b` and `a != b`.
fn entries(text: &[&str]) -> Vec<MappedPair> {
    let entry = |text: &&str| {
        let (is_same, pair) = match text.split_once(" != ") {
            Some(pair) => (false, pair),
            None => (true, text.split_once(" = ").unwrap()),
        };
        MappedPair {
            a: pair.0.to_owned(),
            b: pair.1.to_owned(),
            same: is_same,
            note: None,
        }
    };
    text.iter().map(entry).collect()
}

/// Three versions: `f` is called `g`, then `h`; all have `main`.
const VERSIONS: &str = "one: main f\ntwo: main g\nthree: main h i";

/// What is said of the entries, in order: the entries that it is about, and how it begins.
#[track_caller]
fn check(text: &[&str], expected: &[(&[usize], &str)]) {
    let found = faults(&entries(text), &runs(VERSIONS));
    let found: Vec<(&[usize], String)> = found
        .iter()
        .map(|fault| (fault.entries.as_slice(), fault.why.to_string()))
        .collect();
    let found: Vec<(&[usize], &str)> = found.iter().map(|(at, why)| (*at, why.as_str())).collect();
    assert_eq!(found, expected, "{text:?}");
}

#[test]
fn what_holds_is_not_told() {
    check(&[], &[]);
    check(&["f = g"], &[]);
    check(&["f = g", "g = h"], &[]);
    check(&["f != g", "g != h", "f = i"], &[]);
    // By id as well.
    let id = DefinitionId::new("function", "f", 0).to_string();
    check(&[&format!("{id} = g")], &[]);
    assert_eq!(faults(&entries(&["f = g", "f != g"]), &[]).len(), 3);
}

#[test]
fn what_has_no_effect_is_told() {
    check(
        &["f = nothing"],
        &[(
            &[0],
            "that `f` is `nothing` has no effect: no run has a definition `nothing`",
        )],
    );
    check(
        &["nobody != f"],
        &[(
            &[0],
            "that `nobody` is not `f` has no effect: no run has a definition `nobody`",
        )],
    );
    let id = DefinitionId::new("function", "f", 0).to_string();
    check(
        &[&format!("f = {id}")],
        &[(
            &[0],
            &format!("that `f` is `{id}` has no effect: they are one definition"),
        )],
    );
    for pair in [["f", "main"], ["main", "f"]] {
        let [a, b] = pair;
        check(
            &[&format!("{a} = {b}")],
            &[(
                &[0],
                &format!(
                    "that `{a}` is `{b}` has no effect: every run with `f` has `main` too, which is compared with \
                     itself"
                ),
            )],
        );
    }
    // Neither is ever without the other.
    let told = faults(&entries(&["h = i"]), &runs(VERSIONS));
    assert!(!told[0].is_contradiction);
    let why = told[0].why.to_string();
    assert!(why.contains("has no effect"), "{why}");
}

#[test]
fn what_contradicts_itself_is_told() {
    check(
        &["f = g", "g != f"],
        &[(
            &[0, 1],
            "`g` and `f` are stated to be the same and to be different; the last statement counts",
        )],
    );
    check(
        &["g = h", "g = i"],
        &[(
            &[0, 1],
            "`i` and `h` cannot both be the same as another: run `three` has both",
        )],
    );
    // By way of another, wherever the entries stand.
    check(
        &["f = h", "f = g", "g = i"],
        &[(
            &[0, 1, 2],
            "`i` and `h` cannot both be the same as another: run `three` has both",
        )],
    );
    for (text, about) in [
        (["f = g", "g = h", "f != h"], [0, 1, 2]),
        (["f != h", "f = g", "g = h"], [1, 2, 0]),
    ] {
        check(
            &text,
            &[(
                &about,
                "`f` and `h` are stated to be different, and the same through another definition",
            )],
        );
    }
}

/// What is answered when the last of the entries is asked for and the others are said already.
#[track_caller]
fn check_refused(text: &[&str], expected: &str) {
    let (entries, runs) = (entries(text), runs(VERSIONS));
    let is_new = |at: usize| at + 1 == entries.len();
    let refused = faults(&entries, &runs)
        .into_iter()
        .find(|fault| fault.is_contradiction)
        .unwrap();
    let found = refused.refusal(&entries, is_new, &runs);
    let (_, way_out) = found
        .split_once("; to state it nevertheless, first run ")
        .unwrap();
    assert_eq!(way_out, format!("`grainsheaf match {expected}`"));
    // What it says is enough.
    let left: Vec<MappedPair> = entries
        .iter()
        .filter(|entry| !expected.contains(&format!("'{} = {}'", entry.a, entry.b)))
        .cloned()
        .collect();
    assert!(left.len() < entries.len());
    assert!(
        faults(&left, &runs)
            .iter()
            .all(|fault| !fault.is_contradiction)
    );
}

#[test]
fn a_refusal_names_what_stands_in_the_way() {
    check_refused(&["g = h", "g = i"], "--forget 'g = h'");
    check_refused(&["f = g", "g = h", "f != h"], "--forget 'g = h'");
    // One of these two is in the way; the other is not.
    check_refused(&["f = g", "f = h", "g = i"], "--forget 'f = h'");
    let both = entries(&["g = h", "g = i"]);
    let fault = faults(&both, &runs(VERSIONS)).remove(0);
    let found = fault.refusal(&both, |_| true, &runs(VERSIONS));
    assert!(found.ends_with("; ask for one of them only"), "{found}");
}

#[test]
fn a_note_names_the_statement_to_take_back() {
    let text = ["it's = g"];
    let fault = faults(&entries(&text), &runs(VERSIONS)).remove(0);
    let Fact::Renames(RenameFact::MappingFault { take_back, .. }) =
        fault.note(&entries(&text), false).fact
    else {
        panic!("another fact");
    };
    assert_eq!(take_back, Some(stated(&entries(&text)[0])));
}
