//! What must hold of any trees, and of awkward ones.

use proptest::prelude::*;

use super::super::{Change, Outcome, Side};
use super::trees::{Named, Random, Sketch, matched};

fn changes(a: &Named, b: &Named) -> Vec<Change> {
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
    matched(a, b).changes(sides)
}

/// Every kind of change with how often it happened.
fn counts(a: &Named, b: &Named) -> Vec<(Outcome, usize)> {
    let changes = changes(a, b);
    let equal = changes.chunk_by(|x, y| x.outcome == y.outcome);
    equal.map(|equal| (equal[0].outcome, equal.len())).collect()
}

fn sketches() -> impl Strategy<Value = (Sketch, u64)> {
    (1_usize..60, 1_usize..12, any::<u64>()).prop_map(|(nodes, definitions, seed)| {
        (Sketch::random(nodes, definitions, &mut Random(seed)), seed)
    })
}

proptest! {
    #[test]
    fn a_tree_is_itself((sketch, _) in sketches()) {
        let (tree, _) = sketch.tree();
        let found = matched(&tree, &tree);
        for node in 0..tree.len() {
            prop_assert_eq!(found.partner(0, node), Some(node));
        }
        prop_assert!(changes(&tree, &tree).is_empty());
    }

    #[test]
    fn exchanged_trees_exchange_the_sides((sketch, seed) in sketches(), other in sketches()) {
        let mut random = Random(seed);
        let (before, _) = sketch.tree();
        let (changed, _) = sketch.changed(1, 12, &mut random).tree();
        let (unrelated, _) = other.0.tree();
        for after in [&changed, &unrelated] {
            let (there, back) = (matched(&before, after), matched(after, &before));
            for node in 0..before.len() {
                prop_assert_eq!(there.partner(0, node), back.partner(1, node));
                prop_assert_eq!(there.tier(0, node), back.tier(1, node));
                prop_assert_eq!(there.score(0, node), back.score(1, node));
            }
            for node in 0..after.len() {
                let partner = there.partner(1, node);
                prop_assert_eq!(partner, back.partner(0, node));
                prop_assert!(partner.is_none_or(|partner| there.partner(0, partner) == Some(node)));
            }
            let turned = |(outcome, count)| (turned(outcome), count);
            let mut back: Vec<_> = counts(after, &before).into_iter().map(turned).collect();
            back.sort_unstable();
            prop_assert_eq!(counts(&before, after), back);
        }
    }

    #[test]
    fn other_names_for_everything_are_found((sketch, _) in sketches()) {
        let mut renamed = sketch.clone();
        for label in &mut renamed.labels {
            *label = format!("{label} of old").chars().rev().collect();
        }
        let ((a, _), (b, _)) = (sketch.tree(), renamed.tree());
        let found = matched(&a, &b);
        for node in 0..a.len() {
            prop_assert_eq!(found.partner(0, node), Some(node));
        }
        prop_assert_eq!(found.renames().len(), a.names.len());
        prop_assert_eq!(counts(&a, &b), [(Outcome::Renamed, a.len())]);
    }

    #[test]
    fn a_wrapper_hides_nothing((sketch, seed) in sketches()) {
        let mut wrapped = sketch.clone();
        let node = Random(seed).below(sketch.labels.len());
        let wrapper = wrapped.add("wrapper".to_owned());
        let inner = std::mem::replace(&mut wrapped.children[node], vec![wrapper]);
        let is_around_nothing = inner.is_empty();
        wrapped.children[wrapper] = inner;
        let ((a, _), (b, _)) = (sketch.tree(), wrapped.tree());
        prop_assert_eq!(matched(&a, &b).len(), a.len());
        let outcome = if is_around_nothing { Outcome::Appeared } else { Outcome::Wrapped };
        let mut found = counts(&a, &b);
        // Of equal siblings another may be taken for the one that is wrapped.
        found.retain(|(outcome, _)| *outcome != Outcome::Reordered);
        prop_assert_eq!(found, [(outcome, 1)]);
    }

    #[test]
    fn an_iteration_more_is_counted((sketch, seed) in sketches()) {
        let mut longer = sketch.clone();
        let node = Random(seed).below(sketch.labels.len());
        let Some(&last) = sketch.children[node].last() else {
            return Ok(());
        };
        // The same children again, of a node of its own.
        let again = longer.add(longer.labels[last].clone());
        longer.children[again] = longer.children[last].clone();
        longer.children[node].push(again);
        let ((a, _), (b, _)) = (sketch.tree(), longer.tree());
        prop_assert_eq!(matched(&a, &b).len(), a.len());
        let found = counts(&a, &b);
        prop_assert!(found.contains(&(Outcome::Multiplied, 1)), "{found:?}");
        let is_told = |outcome: &Outcome| matches!(outcome, Outcome::Multiplied | Outcome::Reordered);
        prop_assert!(found.iter().all(|(outcome, _)| is_told(outcome)), "{found:?}");
    }

    #[test]
    fn another_order_is_only_that((sketch, seed) in sketches()) {
        let mut shuffled = sketch.clone();
        let mut random = Random(seed);
        for children in &mut shuffled.children {
            for at in (1..children.len()).rev() {
                children.swap(at, random.below(at + 1));
            }
        }
        let ((a, _), (b, _)) = (sketch.tree(), shuffled.tree());
        prop_assert_eq!(matched(&a, &b).len(), a.len());
        let found = counts(&a, &b);
        prop_assert!(found.iter().all(|(outcome, _)| *outcome == Outcome::Reordered), "{found:?}");
    }
}

fn turned(outcome: Outcome) -> Outcome {
    match outcome {
        Outcome::Appeared => Outcome::Vanished,
        Outcome::Vanished => Outcome::Appeared,
        Outcome::Wrapped => Outcome::Unwrapped,
        Outcome::Unwrapped => Outcome::Wrapped,
        other => other,
    }
}

#[test]
fn nothing_and_one_node() {
    let one = Named::parse("{r}");
    let nothing = Named::new(Vec::new(), &[]);
    assert!(matched(&nothing, &nothing).is_empty());
    assert_eq!(counts(&nothing, &one), [(Outcome::Appeared, 1)]);
    assert_eq!(counts(&one, &Named::parse("{s}")), [(Outcome::Renamed, 1)]);
    assert_eq!(matched(&one, &one).len(), 1);
}

/// A root around so many nodes of one label: beside each other, or each in the last.
fn of_one_label(nodes: usize, is_deep: bool, last: &str) -> Named {
    let size = |node: usize| {
        if is_deep || node == 0 {
            nodes - node
        } else {
            1
        }
    };
    let sizes = (0..nodes)
        .map(|node| u32::try_from(size(node)).unwrap())
        .collect();
    let mut labels = vec!["f".to_owned(); nodes];
    labels[0] = "root".to_owned();
    labels[nodes - 1] = last.to_owned();
    Named::new(sizes, &labels)
}

#[test]
fn many_equal_siblings_are_counted() {
    let (a, b) = (
        of_one_label(100_000, false, "f"),
        of_one_label(150_000, false, "f"),
    );
    assert_eq!(matched(&a, &b).len(), a.len());
    let found = changes(&a, &b);
    assert_eq!(found.len(), 1);
    assert_eq!(
        (found[0].outcome, found[0].nodes),
        (Outcome::Multiplied, [99_999, 149_999])
    );
}

#[test]
fn deep_chains_do_not_recurse() {
    let (a, b) = (
        of_one_label(100_000, true, "g"),
        of_one_label(100_001, true, "h"),
    );
    let found = matched(&a, &b);
    assert!(found.len() >= a.len() - 1, "{}", found.len());
    assert_eq!(matched(&a, &a).len(), a.len());
}

/// The calls of fib(n), all of one label but that `leaf` is the label of the first leaf.
fn fib(n: u32, leaf: &str) -> Sketch {
    let mut sketch = Sketch::default();
    let root = sketch.add("fib".to_owned());
    let mut open = vec![(root, n)];
    let mut is_first = true;
    while let Some((node, n)) = open.pop() {
        if n < 2 {
            if std::mem::take(&mut is_first) {
                let child = sketch.add(leaf.to_owned());
                sketch.children[node].push(child);
            }
            continue;
        }
        for below in [n - 1, n - 2] {
            let child = sketch.add("fib".to_owned());
            sketch.children[node].push(child);
            open.push((child, below));
        }
    }
    sketch
}

#[test]
fn deep_recursion_with_equal_siblings() {
    let (a, b) = (fib(16, "log").tree().0, fib(16, "trace").tree().0);
    assert_eq!(matched(&a, &b).len(), a.len() - 1);
    let mut expected = [Outcome::Appeared, Outcome::Vanished].map(|outcome| (outcome, 1));
    expected.sort_unstable();
    assert_eq!(counts(&a, &b), expected);
}
