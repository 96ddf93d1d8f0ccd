//! The aggregation tree of one run.

use std::fmt::Write as _;

use sheaf_answers::{Group, Tree};

use super::or_absent;
use super::selection::Selection;
use super::table::{Layout, Table, Tone};
use super::text::counted;
use sheaf_answers::text::{ABSENT, count, percent};

/// Figures of the tree, then its groups, indented by their depth.
pub(crate) fn tree(answer: &Tree, layout: Layout) -> String {
    let mut text = figures(answer).render(layout, "");
    if !answer.not_checked.is_empty() {
        let mut table = Table::default().word("").name("");
        for (condition, reason) in &answer.not_checked {
            table.row([condition.clone(), reason.clone()]);
        }
        let _ = write!(text, "\nNot checked\n{}", table.render(layout, "  "));
    }
    if !answer.groups.is_empty() {
        let _ = write!(text, "\nGroups\n{}", outline(answer).render(layout, "  "));
        if let Some(note) = note_of_cut(answer) {
            let _ = writeln!(text, "  … {note}");
        }
    }
    text
}

/// Says how many groups the answer has, if it does not have all groups of the tree.
pub(crate) fn note_of_cut(answer: &Tree) -> Option<String> {
    let shown = answer.groups.len() as u64;
    let all = counted(answer.nodes, "node", "nodes");
    let note = || {
        let shown = count(shown);
        format!("{shown} of {all}; `--depth N` opens N levels in full")
    };
    (answer.nodes > shown).then(note)
}

fn figures(answer: &Tree) -> Table {
    let mut table = Table::default().word("").name("");
    let mut fact = |name: &str, shown: String| table.row([name.to_owned(), shown]);
    fact("grains and team members", count(answer.grains));
    fact("fork-join groups", count(answer.fork_joins));
    fact("linear groups", count(answer.linears));
    fact("sibling groups", count(answer.siblings));
    if answer.unstructured > 0 {
        fact("unstructured groups", count(answer.unstructured));
    }
    fact("depth", count(answer.depth));
    fact("most open nodes", count(answer.max_open_nodes));
    if !answer.conditions.is_empty() {
        fact("problem", answer.conditions.join(" or "));
    }
    if let Some(grains) = answer.problem_grains {
        fact("grains with it", count(grains));
        let theta = or_absent(answer.max_theta, count);
        fact("most open for one", theta);
        let savings = answer.savings.map(percent);
        fact("savings", savings.unwrap_or_else(|| ABSENT.to_owned()));
    }
    table
}

/// Groups in pre-order.
fn outline(answer: &Tree) -> Table {
    let groups = &answer.groups;
    let mut order: Vec<usize> = (0..groups.len()).collect();
    order.sort_by_key(|&row| groups[row].group);
    let mut table = Selection::of(answer, answer.unit.as_str())
        .rows(order)
        .made_name("group", |row| name(&groups[row]))
        .columns("grains as grains and team members, children");
    if let Some(metric) = answer.metrics.first() {
        table = table.column(&metric.name).headed("work");
    }
    table
        .columns("is_critical as critical")
        .toned(|_| Tone::Notable)
        .columns("has_problem as problem")
        .toned(|_| Tone::Bad)
        .when(groups.iter().any(|group| group.has_problem.is_some()))
        .first(0)
}

/// Kind and definition, indented by the depth.
fn name(group: &Group) -> String {
    let indent = "  ".repeat(group.depth as usize);
    let kind = group.kind.as_str().replace('_', "-");
    match group.definition.as_deref() {
        Some(definition) if kind == "grain" => format!("{indent}{definition}"),
        Some(definition) => format!("{indent}{kind} {definition}"),
        None => indent + &kind,
    }
}

#[cfg(test)]
mod tests {
    use sheaf_answers::{GrainMetric, GroupKind, MetricValue};

    use super::*;

    fn group(number: u32, depth: u32, kind: GroupKind, definition: &str, work: i64) -> Group {
        Group {
            group: number,
            parent: None,
            depth,
            kind,
            definition: (!definition.is_empty()).then(|| definition.into()),
            grain: None,
            path_key: None,
            grains: 3 - depth,
            children: 0,
            nodes: 1,
            has_problem: Some(number == 2),
            is_critical: number < 2,
            is_restructured: false,
            structure: None,
            metrics: [("work_ns".to_owned(), MetricValue::Integer(work))]
                .into_iter()
                .collect(),
        }
    }

    #[test]
    fn a_tree_is_figures_and_an_outline() {
        let answer = Tree {
            schema: "tree/1".into(),
            run: "0".repeat(32),
            unit: sheaf_model::TimeUnit::Nanoseconds,
            conditions: vec!["parallel_benefit < 1".into()],
            not_checked: [].into(),
            is_separated: false,
            grains: 4,
            problem_grains: Some(1),
            fork_joins: 1,
            linears: 1,
            siblings: 0,
            unstructured: 0,
            nodes: 6,
            depth: 2,
            max_open_nodes: 4,
            max_theta: Some(4),
            savings: Some(0.25),
            metrics: vec![GrainMetric {
                name: "work_ns".into(),
                unit: "ns".into(),
                direction: sheaf_model::Direction::HigherIsWorse,
                definition: String::new(),
                citation: None,
                is_given: false,
            }],
            absent: [].into(),
            root: [].into(),
            is_cut: true,
            groups: vec![
                group(0, 0, GroupKind::Linear, "main (program)", 4_000),
                group(2, 1, GroupKind::ForkJoin, "", 3_000),
                group(1, 1, GroupKind::Grain, "main (program)", 1_000),
            ],
        };
        let expected = "\
grains and team members  4
fork-join groups         1
linear groups            1
sibling groups           0
depth                    2
most open nodes          4
problem                  parallel_benefit < 1
grains with it           1
most open for one        4
savings                  25 %

Groups
  group                  grains and team members  children  work (µs)  critical  problem
  linear main (program)                        3         0       4.00  critical
    main (program)                             2         0       1.00  critical
    fork-join                                  2         0       3.00            problem
  … 3 of 6 nodes; `--depth N` opens N levels in full
";
        assert_eq!(tree(&answer, Layout::default()), expected);
    }
}
