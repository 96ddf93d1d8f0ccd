//! `what-if`: remarks on gains, notes on changes, and the error that is cited with a reference.

use sheaf_answers::{WhatFirst, WhatIf};
use sheaf_tests::{ask, find, sample};

#[test]
fn changes_of_structure_that_concern_nothing_are_noted() {
    let notes = |store: &str, words: &[&str]| -> String {
        let answer: WhatIf = ask(&sample(store), &[&["what-if"], words].concat());
        let texts: Vec<&str> = answer.notes.iter().map(|note| note.text.as_str()).collect();
        texts.join("\n")
    };
    let deep = notes("threads", &["sort-t1-r1", "--cut-off", "depth=99"]);
    assert!(
        deep.contains("run `sort-t1-r1` has no tasks below depth 99"),
        "{deep}"
    );
    let flat = notes("threads", &["sort-t1-r1", "--cut-off", "depth=1"]);
    assert!(!flat.contains("no tasks below"), "{flat}");
    let tasks = notes("threads", &["sort-t1-r1", "--chunk-size", "4"]);
    assert!(
        tasks.contains("run `sort-t1-r1` has no loops with chunks"),
        "{tasks}"
    );
    assert!(!tasks.contains("chunks of 4 iterations"), "{tasks}");
    let loops = notes(
        "planted",
        &["change == none and repeat == 1", "--chunk-size", "4"],
    );
    assert!(!loops.contains("no loops"), "{loops}");
}

/// Work that is too little changes schedules by chance only, and other work may be as long as what became shorter.
#[test]
fn definitions_without_a_gain_say_why() {
    let words = ["what-if", "sort-t2-r1", "--first", "--workers", "2,8"];
    let answer: WhatFirst = ask(&sample("threads"), &words);
    let reason = |workers: u64| {
        let is_it = |row: &sheaf_answers::Priority| {
            (row.workers, row.definition.as_str()) == (workers, "main (parallel)")
        };
        let row = find(&answer.rows, is_it);
        assert!(!row.is_uncertain, "{row:?}");
        row.reason.clone().unwrap()
    };
    assert_eq!(
        reason(2),
        "it has too little work to change the elapsed time by 0.1 %"
    );
    assert_eq!(
        reason(8),
        "it has too little work; schedules differ by chance"
    );
}

#[test]
fn less_work_without_a_gain_says_why() {
    let ask_with = |faster: &str, more: &[&str]| -> WhatIf {
        let words = ["what-if", "sort-t2-r1", "--faster", faster];
        ask(&sample("threads"), &[&words, more].concat())
    };
    let reasons = |answer: &WhatIf| -> Vec<String> {
        let texts = answer.notes.iter().map(|note| note.text.clone());
        texts
            .filter(|text| text.contains("gains nothing"))
            .collect()
    };
    let little = ask_with("main (parallel)=50%", &["--workers", "2,8"]);
    let of = |workers: &str| {
        format!(
            "the faster part of run `sort-t2-r1` gains nothing on {workers} workers: it has too little work"
        )
    };
    let found = reasons(&little);
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[0].starts_with(&of("2")), "{found:?}");
    assert!(found[1].starts_with(&of("8")), "{found:?}");
    let both = reasons(&ask_with("main (parallel)=50%", &["--workers", "1,2"]));
    assert_eq!(both.len(), 1, "{both:?}");
    assert!(both[0].starts_with(&of("1, 2")), "{both:?}");
    let much = ask_with("sort_range (task)=50%", &["--workers", "2,8"]);
    assert!(much.rows.iter().all(|row| row.gain > 0.0), "{much:?}");
    assert_eq!(reasons(&much), [""; 0]);
    // Nothing is asked to become faster.
    assert_eq!(reasons(&ask_with("main (parallel)=0%", &[])), [""; 0]);
    // Other changes have gains of their own.
    let both = ask_with("main (parallel)=50%", &["--no-delay"]);
    assert_eq!(reasons(&both), [""; 0]);
}

#[test]
fn the_error_is_that_of_predictions_like_these() {
    let store = sample("threads");
    let ask_with =
        |words: &[&str]| -> WhatIf { ask(&store, &[&["what-if", "sort-t1-r1"], words].concat()) };
    let plain = ask_with(&["--workers", "2"]);
    let carried = ask_with(&["--workers", "2", "--reference", "program == sort"]);
    assert!(carried.trust.unwrap().median < plain.trust.unwrap().median);
    // The reference shows nothing for three workers.
    let words = ["--workers", "3", "--reference", "program == sort"];
    assert_eq!(ask_with(&words).trust, plain.trust);
    let first: WhatFirst = ask(
        &store,
        &[&["what-if", "sort-t1-r1", "--first"], &words[..]].concat(),
    );
    assert_eq!(first.trust, plain.trust);
    // It shows one worker, and nothing to compare predictions with.
    let alone = ask_with(&["--reference", "threads == 1"]);
    assert_eq!(alone.trust, None);
    let note = "predictions with the reference could not be checked";
    let has_note = |note: &str| alone.notes.iter().any(|it| it.text.contains(note));
    assert!(has_note(note), "{:?}", alone.notes);
}
