//! Grains and problems of one run.

use std::fmt::Write as _;

use sheaf_answers::{Gain, GrainKind, GrainReference, Grains, Problem, Problems};

use super::selection::Selection;
use super::table::{Kind, Layout, Table, Tone};
use super::text::{counted, plain};
use super::{or_absent, path};
use sheaf_answers::text::{ABSENT, count, number, percent, quantity};

/// Definitions that a problem lists.
const LISTED_DEFINITIONS: usize = 5;

/// A table of grains: path, kind, worker, metrics. Metrics that the run lacks are named below it where
/// the user named them.
pub(crate) fn grains(answer: &Grains, is_asked: bool, layout: Layout) -> String {
    if answer.rows.is_empty() {
        return "no grains\n".to_owned();
    }
    let rows = &answer.rows;
    let ranks = || rows.rank.iter().map(|rank| rank.unwrap_or(0));
    let has_ranks = ranks().any(|rank| rank > 0);
    let mut table = Selection::of(answer, answer.unit.as_str())
        .made_name("grain", |row| path(&rows.path[row]))
        .columns("kind")
        .when(rows.kind.iter().any(|kind| *kind != GrainKind::Task))
        .made("worker", Kind::Number, |row, _| {
            match (rows.rank[row], rows.thread[row]) {
                (Some(rank), Some(thread)) if has_ranks => format!("{rank}:{thread}"),
                (_, Some(thread)) => thread.to_string(),
                _ => ABSENT.to_owned(),
            }
        })
        .when(rows.thread.iter().any(Option::is_some));
    for metric in &answer.metrics {
        table = table.column(&metric.name);
    }
    let mut text = table.first(0).render(layout, "");
    let shown = rows.len() as u64;
    if answer.total > shown {
        let all = counted(answer.total, "grain", "grains");
        let _ = writeln!(text, "… {} of {all}; `--limit 0` shows all", count(shown));
    }
    if let Some(reference) = &answer.reference {
        text.push_str(&compared(reference, answer.unit.as_str()));
    }
    if is_asked && !answer.absent.is_empty() {
        let mut table = Table::default().word("").name("");
        for (metric, reason) in &answer.absent {
            table.row([metric.clone(), reason.clone()]);
        }
        let _ = write!(text, "\nNot known\n{}", table.render(layout, "  "));
    }
    text
}

/// What grains were compared with, and what of both sides has no counterpart.
fn compared(reference: &GrainReference, unit: &str) -> String {
    let with = match reference.runs.as_slice() {
        [run] => format!("run {}", run.run.get(..8).unwrap_or(&run.run)),
        runs => format!("the median of {} runs", runs.len()),
    };
    let is_whole = |run: &sheaf_answers::ReferenceRun| run.missing_grains == 0;
    if reference.unmatched_grains == 0 && reference.runs.iter().all(is_whole) {
        return format!("compared with {with}: every grain has its counterpart\n");
    }
    let side = |grains: u64, work: i64| {
        let grains = counted(grains, "grain", "grains");
        format!("{grains} ({})", quantity(unit, work as f64))
    };
    let own = side(reference.unmatched_grains, reference.unmatched_work);
    let missing = reference.runs.iter().map(|run| run.missing_grains);
    let missing = match (missing.clone().min(), missing.max()) {
        (Some(least), Some(most)) if least != most => {
            format!("{} to {} grains", count(least), count(most))
        }
        (_, most) => counted(most.unwrap_or(0), "grain", "grains"),
    };
    format!("compared with {with}: {own} only here, {missing} only there\n")
}

/// A table of problems, what the worst of them are, and what could not be checked.
pub(crate) fn problems(answer: &Problems, layout: Layout) -> String {
    let mut text = String::new();
    if !answer.problems.is_empty() {
        let lines = &answer.lines();
        let is_first = |row: &usize| {
            let before = row.checked_sub(1);
            before.is_none_or(|before| !std::ptr::eq(lines[before].0, lines[*row].0))
        };
        let table = Selection::of(answer, answer.unit.as_str())
            .rows((0..lines.len()).filter(is_first))
            .name("condition as problem")
            .made("at most to win", Kind::Number, |row, _| {
                won(lines[row].0.gain.as_ref(), answer)
            })
            .columns("grains")
            .toned(|grains| if grains > 0.0 { Tone::Bad } else { Tone::Plain })
            .columns("checked as of, critical_grains as on critical path, share_of_work")
            .first(0);
        text.push_str(&table.render(layout, ""));
    }
    let balanced = answer.problems.iter().map(|it| it.balanced_chunks);
    if let Some(most) = balanced.max().filter(|&most| most > 0) {
        let chunks = counted(most, "chunk", "chunks");
        let _ = writeln!(
            text,
            "\nUp to {chunks} beyond limits of loops whose imbalance costs less than 5 % of their time: not counted."
        );
    }
    let books: u64 = answer.problems.iter().map(|it| it.book_keeping).sum();
    if books > 0 {
        let mut table = Table::default().word("").number("");
        for problem in answer.problems.iter().filter(|it| it.book_keeping > 0) {
            table.row([problem.condition.clone(), count(problem.book_keeping)]);
        }
        let rows = table.render(layout, "  ");
        let _ = write!(
            text,
            "\nBook-keeping and members of teams beyond limits, not counted above; `what-if --first` shows what they cost\n{rows}"
        );
    }
    if let Some(reference) = &answer.reference {
        text.push_str(&compared(reference, answer.unit.as_str()));
    }
    for problem in answer.problems.iter().filter(|it| it.grains > 0) {
        let _ = write!(text, "\n{}\n", plain(&title(problem)));
        if let Some(cause) = &problem.cause {
            let _ = writeln!(text, "  {}", plain(cause));
        }
        text.push_str(&definitions(problem, answer).render(layout, "  "));
        let hidden = problem.definitions.len().saturating_sub(LISTED_DEFINITIONS);
        if hidden > 0 {
            let more = counted(hidden as u64, "more definition", "more definitions");
            let _ = writeln!(text, "  … {more}");
        }
    }
    if !answer.not_checked.is_empty() {
        let mut table = Table::default().word("").name("");
        for row in &answer.not_checked {
            table.row([row.condition.clone(), row.reason.clone()]);
        }
        let gap = if text.is_empty() { "" } else { "\n" };
        let _ = write!(text, "{gap}Not checked\n{}", table.render(layout, "  "));
    }
    text
}

fn title(problem: &Problem) -> String {
    let worst = problem.worst.as_ref().map(|worst| {
        let value = number(worst.value);
        format!("; worst {value}: {}", path(&worst.path))
    });
    format!("{}{}", problem.condition, worst.unwrap_or_default())
}

/// `1.50 ms, 12 %`: the time, and its share of the elapsed time.
fn won(gain: Option<&Gain>, answer: &Problems) -> String {
    let Some(gain) = gain else {
        return ABSENT.to_owned();
    };
    let time = quantity(answer.unit.as_str(), gain.time);
    let elapsed = answer.elapsed.filter(|&elapsed| elapsed > 0);
    elapsed.map_or_else(
        || time.clone(),
        |elapsed| format!("{time}, {}", percent(gain.time / elapsed as f64)),
    )
}

fn definitions(problem: &Problem, answer: &Problems) -> Table {
    let lines = &answer.lines();
    let own = |row: &usize| lines[*row].1.is_some() && std::ptr::eq(lines[*row].0, problem);
    Selection::of(answer, answer.unit.as_str())
        .rows((0..lines.len()).filter(own))
        .name("definition")
        .name("site")
        .made("at most to win", Kind::Number, |row, _| {
            won(lines[row].1.and_then(|it| it.gain.as_ref()), answer)
        })
        .columns("definition_grains as grains, definition_share as share")
        .made("work", Kind::Number, |row, _| {
            let work = lines[row].1.and_then(|it| it.work);
            let shown = |work| quantity(answer.unit.as_str(), work as f64);
            or_absent(work, shown)
        })
        .columns("severity")
        .first(LISTED_DEFINITIONS)
}

#[cfg(test)]
mod tests {
    use sheaf_answers::{
        GainBasis, GrainMetric, GrainRow, MetricValue, NotChecked, ProblemDefinition, WorstGrain,
    };
    use sheaf_model::TimeUnit;

    use super::*;

    fn metric(name: &str, unit: &str) -> GrainMetric {
        GrainMetric {
            name: name.into(),
            unit: unit.into(),
            direction: sheaf_model::Direction::HigherIsWorse,
            definition: String::new(),
            citation: None,
            is_given: false,
        }
    }

    fn row(steps: &str, thread: i32, work: i64, benefit: Option<f64>) -> GrainRow {
        let mut metrics = std::collections::BTreeMap::new();
        metrics.insert("work_ns".to_owned(), MetricValue::Integer(work));
        if let Some(benefit) = benefit {
            let value = MetricValue::Float(benefit);
            metrics.insert("parallel_benefit".to_owned(), value);
        }
        GrainRow {
            path: vec!["main (program)[0]".into(), format!("fib (task)[{steps}]")],
            definition: "fib (task)".into(),
            grain: 7,
            path_key: "0".repeat(16),
            kind: GrainKind::Task,
            parent: None,
            rank: Some(0),
            thread: Some(thread),
            created: None,
            start: None,
            end: None,
            first_iteration: None,
            iterations: None,
            metrics,
        }
    }

    #[test]
    fn grains_are_a_table() {
        let answer = Grains {
            schema: "grains/1".into(),
            run: "0".repeat(32),
            unit: TimeUnit::Nanoseconds,
            total: 1_234,
            offset: 0,
            reference: None,
            metrics: vec![metric("parallel_benefit", "ratio"), metric("work_ns", "ns")],
            absent: [("work_deviation".into(), "there is no reference run".into())].into(),
            rows: [row("0.1", 3, 12_500, Some(0.25)), row("1", 12, 800, None)]
                .into_iter()
                .collect(),
        };
        let expected = "\
grain                                worker  parallel_benefit  work (µs)
main (program)[0] › fib (task)[0.1]       3             0.250       12.5
main (program)[0] › fib (task)[1]        12                 –      0.800
… 2 of 1\u{202f}234 grains; `--limit 0` shows all
";
        assert_eq!(grains(&answer, false, Layout::default()), expected);
        let asked = grains(&answer, true, Layout::default());
        let not_known = "\nNot known\n  work_deviation  there is no reference run\n";
        assert!(asked.ends_with(not_known), "{asked}");
    }

    fn gain(time: f64) -> Gain {
        Gain {
            time,
            basis: GainBasis::Creation,
        }
    }

    #[test]
    fn problems_are_counted_and_blamed() {
        let answer = Problems {
            schema: "problems/1".into(),
            run: "0".repeat(32),
            unit: TimeUnit::Nanoseconds,
            reference: None,
            elapsed: Some(10_000),
            problems: vec![
                Problem {
                    metric: "parallel_benefit".into(),
                    unit: "ratio".into(),
                    condition: "parallel_benefit < 1".into(),
                    limit: 1.0,
                    checked: 100,
                    grains: 12,
                    critical_grains: 2,
                    share_of_work: Some(0.125),
                    gain: Some(gain(2_000.0)),
                    balanced_chunks: 0,
                    book_keeping: 0,
                    worst: Some(WorstGrain {
                        grain: 7,
                        path: vec!["fib (task)[0.1]".into()],
                        value: 0.25,
                    }),
                    cause: None,
                    definitions: vec![ProblemDefinition {
                        definition: "fib (task)".into(),
                        site: Some("fib.c:12".into()),
                        grains: 12,
                        share: 1.0,
                        work: Some(1_500),
                        gain: Some(gain(2_000.0)),
                        severity: Some(4.0),
                    }],
                },
                Problem {
                    metric: "sibling_scatter".into(),
                    unit: "count".into(),
                    condition: "sibling_scatter > 4".into(),
                    limit: 4.0,
                    checked: 100,
                    grains: 0,
                    critical_grains: 0,
                    share_of_work: Some(0.0),
                    gain: None,
                    balanced_chunks: 3,
                    book_keeping: 0,
                    worst: None,
                    cause: None,
                    definitions: Vec::new(),
                },
            ],
            not_checked: vec![NotChecked {
                metric: "work_deviation".into(),
                condition: "work_deviation > 2".into(),
                reason: "there is no reference run".into(),
            }],
        };
        let expected = "\
problem               at most to win  grains   of  on critical path  share of work
parallel_benefit < 1   2.00 µs, 20 %      12  100                 2         12.5 %
sibling_scatter > 4                –       0  100                 0            0 %

Up to 3 chunks beyond limits of loops whose imbalance costs less than 5 % of their time: not counted.

parallel_benefit < 1; worst 0.250: fib (task)[0.1]
  definition  site      at most to win  grains  share     work  severity
  fib (task)  fib.c:12   2.00 µs, 20 %      12  100 %  1.50 µs      4.00

Not checked
  work_deviation > 2  there is no reference run
";
        assert_eq!(problems(&answer, Layout::default()), expected);
    }

    #[test]
    fn the_reference_and_what_has_no_counterpart_are_told() {
        let run = |grains, work| sheaf_answers::ReferenceRun {
            run: "3f2a91c0".repeat(4),
            missing_grains: grains,
            missing_work: work,
        };
        let check = |runs: Vec<sheaf_answers::ReferenceRun>, unmatched, expected: &str| {
            let reference = GrainReference {
                runs,
                unmatched_grains: unmatched,
                unmatched_work: 2_500,
            };
            let text = format!("compared with {expected}\n");
            assert_eq!(compared(&reference, "ns"), text);
        };
        check(
            vec![run(0, 0)],
            0,
            "run 3f2a91c0: every grain has its counterpart",
        );
        check(
            vec![run(1, 10)],
            3,
            "run 3f2a91c0: 3 grains (2.50 µs) only here, 1 grain only there",
        );
        check(
            vec![run(1, 10), run(4, 10)],
            0,
            "the median of 2 runs: 0 grains (2.50 µs) only here, 1 to 4 grains only there",
        );
    }
}
