//! What happened between small trees that were worked out by hand, and what must hold of any.

mod properties;
mod quality;
mod trees;

use std::fmt::Write as _;

use super::{Change, Known, Outcome, Side};
use trees::{Named, matched, matched_with};

/// What happened from one tree to the other, a line each.
fn told(a: &Named, b: &Named, known: &Known<'_>) -> String {
    let labels = [a.labels(), b.labels()];
    let sides = [
        Side {
            tree: &a.tree,
            labels: &labels[0],
        },
        Side {
            tree: &b.tree,
            labels: &labels[1],
        },
    ];
    let mut text = String::new();
    let found = matched_with(a, b, known);
    for Change {
        outcome,
        a: first,
        b: second,
        nodes,
    } in found.changes(sides)
    {
        write!(text, "{outcome:?}").unwrap();
        for (named, node) in [(a, first), (b, second)] {
            if let Some(node) = node {
                write!(text, " {}", named.label(node as usize)).unwrap();
            }
        }
        let is_many = outcome == Outcome::Multiplied || nodes.iter().any(|&nodes| nodes > 1);
        if is_many {
            write!(text, " {}:{}", nodes[0], nodes[1]).unwrap();
        }
        text.push('\n');
    }
    text
}

fn check(a: &str, b: &str, expected: &str) {
    check_with(a, b, &Known::default(), expected);
}

fn check_with(a: &str, b: &str, known: &Known<'_>, expected: &str) {
    let found = told(&Named::parse(a), &Named::parse(b), known);
    let expected: Vec<&str> = expected.trim().lines().map(str::trim).collect();
    assert_eq!(found.trim(), expected.join("\n"), "{a} to {b}");
}

const A: &str = "{r{a}{b{c}{d}}}";

#[test]
fn seven_trees() {
    check(A, A, "");
    check(A, "{r{b{d}{c}}{a}}", "Reordered a a\nReordered c c");
    check(A, "{r{a}{b{c}}}", "Vanished d");
    check(A, "{r{a}{x{c}{d}}}", "Renamed b x");
    check(A, "{r{a}{e}{b{c}{d}}}", "Appeared e");
    check(A, "{r{w{a}{b{c}{d}}}}", "Wrapped w");
    check(A, "{r{a}{b{c}{d}}{b{c}{d}}}", "Multiplied b b 1:2");
}

#[test]
fn the_other_way_round() {
    check("{r{a}{x{c}{d}}}", A, "Renamed x b");
    check("{r{w{a}{b{c}{d}}}}", A, "Unwrapped w");
    check("{r{a}{b{c}{d}}{b{c}{d}}}", A, "Multiplied b b 2:1");
    check("{r{a}{e}{b{c}{d}}}", A, "Vanished e");
    check("{r{a}{b{c}}}", A, "Appeared d");
}

#[test]
fn what_appears_comes_with_all_below_it() {
    check("{r{a}}", "{r{a}{e{f}{g{h}}}}", "Appeared e 0:4");
    // What was there already moved into it.
    check(
        "{r{a}{b{c}{d}}}",
        "{r{a}{e{f}}{k{b{c}{d}}{l}}}",
        "Appeared e 0:2\nAppeared l\nWrapped k",
    );
}

#[test]
fn sub_trees_move() {
    check(
        "{r{p{u{c}{d}}}{q{e}}}",
        "{r{p}{q{e}{u{c}{d}}}}",
        "Moved u u",
    );
    // And change on the way.
    check(
        "{r{p{u{c}{d}{e}}}{q{g}}}",
        "{r{p}{q{g}{v{c}{d}{e}}}}",
        "Renamed u v\nMoved u v",
    );
}

#[test]
fn a_wrapper_in_many_places() {
    check(
        "{r{p{u}}{p{u}{v}}{q{u}}}",
        "{r{p{w{u}}}{p{w{u}}{v}}{q{w{u}}}}",
        "Wrapped w\nWrapped w\nWrapped w",
    );
}

#[test]
fn names_tell_what_structure_does_not() {
    check(
        "{r{a}{copy_row}}",
        "{r{a}{copy_rows}}",
        "Renamed copy_row copy_rows",
    );
    check(
        "{r{a}{copy}}",
        "{r{a}{flush}}",
        "Appeared flush\nVanished copy",
    );
    // Nothing is paired with another kind.
    check(
        "{r{a}{loop_row}}",
        "{r{a}{noop_row}}",
        "Appeared noop_row\nVanished loop_row",
    );
    // Nor with what both have.
    check("{r{row}{rows}}", "{r{row}}", "Vanished rows");
}

#[test]
fn the_equal_instance_stays() {
    // It is the second b that changed, whichever stands first now.
    check(
        "{r{b{c}{d}}{b{c}{e}}}",
        "{r{b{c}{e}{k}}{b{c}{d}}}",
        "Appeared k",
    );
    check(
        "{r{b{c}{d}}{s}{b{c}{e}}}",
        "{r{b{c}{d}}{b{c}{e}}{s}}",
        "Reordered s s",
    );
}

#[test]
fn what_is_known_comes_first() {
    let id = |name: &str| {
        let named = Named::parse(&format!("{{{name}}}"));
        named.tree.names()[0]
    };
    let (copy, flush) = (id("copy"), id("flush"));
    let same = Known {
        same: &[(copy, flush)],
        ..Known::default()
    };
    check_with("{r{a}{copy}}", "{r{a}{flush}}", &same, "Renamed copy flush");
    let (b, x) = (id("b"), id("x"));
    let different = Known {
        different: &[(b, x)],
        ..Known::default()
    };
    check_with(A, "{r{a}{x{c}{d}}}", &different, "Wrapped x\nUnwrapped b");
    // The nodes, however little they have in common.
    let pairs = Known {
        pairs: &[(0, 0), (2, 1)],
        ..Known::default()
    };
    check_with("{r{a}{b}}", "{r{c}}", &pairs, "Vanished a\nRenamed b c");
}

#[test]
fn renames_have_a_score() {
    let (a, b) = (
        Named::parse("{r{b{c}{d}}{b{c}}}"),
        Named::parse("{r{x{c}{d}}{x{c}}}"),
    );
    let found = matched(&a, &b);
    assert_eq!(found.renames().len(), 1);
    assert_eq!(
        (found.renames()[0].pairs, found.renames()[0].score),
        (2, 1.0)
    );
    assert_eq!(found.tier(0, 1), found.tier(1, 1));
    assert_eq!(found.score(0, 0), Some(1.0));
    assert_eq!((found.len(), found.is_empty()), (a.len(), false));
}

#[test]
fn new_names_are_not_guessed_where_order_means_nothing() {
    let unordered = Known {
        is_unordered: true,
        ..Known::default()
    };
    let (before, after) = ("{r{s{ash}{fig}{oak}}}", "{r{t{one}{six}{ten}}}");
    check(
        before,
        after,
        "Renamed s t\nRenamed ash one\nRenamed fig six\nRenamed oak ten",
    );
    check_with(
        before,
        after,
        &unordered,
        "Appeared one\nAppeared six\nAppeared ten\nVanished ash\nVanished fig\nVanished oak\nRenamed s t",
    );
    // One of each is left when the others are known, or have names that are alike.
    let id = |name: &str| Named::parse(&format!("{{{name}}}")).tree.names()[0];
    let known = Known {
        same: &[(id("ash"), id("ten")), (id("fig"), id("one"))],
        ..unordered
    };
    check_with(
        before,
        after,
        &known,
        "Renamed s t\nRenamed ash ten\nRenamed fig one\nRenamed oak six\nReordered ash ten",
    );
    check_with(
        before,
        "{r{t{figs}{ash_v}{ten}}}",
        &unordered,
        "Renamed s t\nRenamed ash ash_v\nRenamed fig figs\nRenamed oak ten\nReordered ash ash_v",
    );
}
