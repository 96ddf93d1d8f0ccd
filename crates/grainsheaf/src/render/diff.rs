//! The comparison of two sides: environment, structure, matched work, totals, groups, notes.

mod shift;
mod structure;
mod totals;

pub(in crate::render) use shift::{by_differences, shift};
pub(crate) use structure::mapping;
pub(in crate::render) use structure::{StructureText, how, kind_words, names};
pub(super) use totals::totals;

use std::fmt::Write as _;

use sheaf_answers::{Diff, EnvironmentChange, Side, Verdict};

use super::selection::Selection;
use super::stats::labelled;
use super::table::{Kind, Layout, Table, Tone};
use super::text::{counted, plain};
use super::{Ending, legend, limited, more, notes, path, values, wrapped};
use sheaf_answers::text::{ABSENT, number};

/// What the columns of groups are.
pub(super) const LEGEND: &str = "A, B: means over runs; impact: B − A as a share of A's total; ratio: typical B / A of \
                      runs (Hodges-Lehmann), with its interval; n: runs compared";

/// The whole comparison with its causes at the end; at most `limit` groups, 0 for all.
pub(crate) fn diff(answer: &Diff, ending: &Ending, limit: usize, layout: Layout) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = writeln!(text, "A  {}\nB  {}", side(&answer.a), side(&answer.b));
    let metric = metric(answer);
    let _ = writeln!(text, "   {metric}; differences are B − A");
    let _ = write!(
        text,
        "\nEnvironment\n{}",
        environment(&answer.environment, layout)
    );
    let _ = write!(
        text,
        "\nStructure\n{}",
        structure::structure(answer, layout)
    );
    let _ = write!(text, "\nTotal\n  {}\n", totals(answer));
    if let Some(total) = &answer.total {
        let verdict = match total.verdict {
            Verdict::Untestable => String::new(),
            verdict => format!(" {verdict}"),
        };
        let judged = format!("whole run{verdict}: {}", plain(total.reason.text()));
        text.push_str(&wrapped(&judged, ["  ", "    "], layout.width));
    }
    let _ = write!(text, "\nGroups\n{}", groups(answer, limit, layout));
    text.push_str(&ending.text("Causes", layout));
    text.push_str(&notes(&answer.notes, layout));
    text
}

/// What is compared, and whether it was measured exactly.
pub(super) fn metric(answer: &Diff) -> String {
    let estimated = match answer.estimated {
        0 => String::new(),
        runs => format!(", estimated in {}", counted(runs, "run", "runs")),
    };
    let metric = labelled(answer.label.as_deref(), &answer.metric);
    plain(&format!("{metric}, {}{estimated}", answer.scope))
}

pub(super) fn side(side: &Side) -> String {
    plain(&format!(
        "{} ({})",
        side.name,
        counted(side.runs.len() as u64, "run", "runs")
    ))
}

/// Text that replaces an empty table of parameters.
pub(super) const SAME_ENVIRONMENT: &str = "no parameter differs";

pub(super) fn environment(changes: &[EnvironmentChange], layout: Layout) -> String {
    if changes.is_empty() {
        return format!("  {SAME_ENVIRONMENT}\n");
    }
    environment_table(changes).render(layout, "  ")
}

/// Parameters that differ, with the values of both sides.
pub(super) fn environment_table(changes: &[EnvironmentChange]) -> Table {
    let mut table = Table::default().name("parameter").name("A").name("B");
    for change in changes {
        table.row([
            change.parameter.clone(),
            values(&change.a),
            values(&change.b),
        ]);
    }
    table
}

fn groups(answer: &Diff, limit: usize, layout: Layout) -> String {
    if answer.rows.is_empty() {
        return "  none\n".to_owned();
    }
    let rows = shown_rows(answer, limit);
    let hidden = more(answer.rows.len(), rows.len(), "more group", "more groups");
    format!(
        "{}{hidden}{}{}{}",
        groups_table(answer, &rows).render(layout, "  "),
        legend(LEGEND, layout),
        by_differences(rows.iter().map(|&row| &answer.rows[row]), layout),
        wrapped(&tested(answer), ["  ", "    "], layout.width)
    )
}

/// Places of the first groups; those outside of every region are shown wherever they stand.
pub(super) fn shown_rows(answer: &Diff, limit: usize) -> Vec<usize> {
    let limit = limited(answer.rows.len(), limit);
    let is_shown = |place: &usize| *place < limit || answer.rows[*place].outside;
    (0..answer.rows.len()).filter(is_shown).collect()
}

/// Some rows of the answer, in units that fit all of them.
pub(super) fn groups_table(answer: &Diff, shown: &[usize]) -> Table {
    let rows = &answer.rows;
    let typical = |row: usize| {
        let row = &rows[row];
        let interval = |[low, high]: [f64; 2]| format!("{} … {}", number(low), number(high));
        let ratio = [row.ratio.map(number), row.ci.map(interval)];
        shift(row, &answer.unit)
            .unwrap_or_else(|| ratio.map(|text| text.unwrap_or_else(|| ABSENT.to_owned())))
    };
    Selection::of(rows, &answer.unit)
        .made_name("group", |row| path(&rows[row].path))
        .columns("a as A, b as B, delta as B − A")
        .signed()
        .columns("impact")
        .signed()
        .made("ratio", Kind::Number, |row, _| typical(row)[0].clone())
        .made("interval", Kind::Number, |row, _| typical(row)[1].clone())
        .made("n", Kind::Number, |row, _| {
            format!("{} : {}", rows[row].n_a, rows[row].n_b)
        })
        .columns("q")
        .verdict("verdict", |row| {
            let (verdict, tone) = verdict(rows[row].verdict);
            match rows[row].reason.why.missed_limit() {
                Some(why) => (format!("{verdict}, {why}"), tone),
                None => (verdict.to_owned(), tone),
            }
        })
        .spare(&["n", "q", "interval", "B − A"])
        .table(shown.iter().copied())
}

/// How many groups were tested, and what their numbers of runs can show.
pub(super) fn tested(answer: &Diff) -> String {
    let counted = counted(answer.tested, "group", "groups");
    let reach = answer.smallest_p.map_or_else(String::new, |p| {
        format!("; these numbers of runs can reach p = {}", number(p))
    });
    let needed = answer.runs_needed_among.or(answer.runs_needed);
    let needed = needed.map_or_else(String::new, |runs| {
        format!("; {runs} runs per side show a single group at 5 %")
    });
    format!("{counted} tested{reach}{needed}")
}

/// Symbol and word, so that nothing hangs on the colour.
pub(super) const fn verdict(verdict: Verdict) -> (&'static str, Tone) {
    match verdict {
        Verdict::Appeared => ("+ appeared", Tone::Notable),
        Verdict::Vanished => ("− vanished", Tone::Notable),
        Verdict::Faster => ("▼ faster", Tone::Good),
        Verdict::Slower => ("▲ slower", Tone::Bad),
        Verdict::Unchanged => ("= unchanged", Tone::Faint),
        Verdict::Inconclusive => ("? inconclusive", Tone::Plain),
        Verdict::Untestable => ("· untestable", Tone::Faint),
    }
}

#[cfg(test)]
mod tests {
    use sheaf_answers::{
        CandidateMatch, ChangeKind, DiffRow, DiffTotals, MatchedBy, MatchedWork, ParamValue,
        StructuralChange, StructureChange, StructureVerdict, TotalChange, Why,
    };

    use super::*;

    fn row(name: &str, a: Option<f64>, b: Option<f64>, verdict: Verdict) -> DiffRow {
        let both = a.is_some() && b.is_some();
        DiffRow {
            path: vec![name.into()],
            group: "0".repeat(32),
            path_a: None,
            path_b: None,
            line_a: None,
            line_b: None,
            group_a: None,
            structure: Vec::new(),
            metric: "work_ns".into(),
            a,
            b,
            delta: Some(b.unwrap_or(0.0) - a.unwrap_or(0.0)),
            impact: Some((b.unwrap_or(0.0) - a.unwrap_or(0.0)) / 1e9),
            ratio: both.then_some(1.179),
            ci: both.then_some([1.12, 1.24]),
            p: both.then_some(0.007_9),
            q: both.then_some(0.015_8),
            cliffs_delta: None,
            verdict,
            reason: Why::InNoRun.into(),
            matched_by: both.then_some(MatchedBy::Context),
            match_score: None,
            runs_a: if a.is_some() { 5 } else { 0 },
            runs_b: if b.is_some() { 5 } else { 0 },
            shift: both.then_some(0.2e9),
            shift_ci: None,
            n_a: 5,
            n_b: 5,
            inclusive_a: None,
            inclusive_b: None,
            outside: false,
        }
    }

    fn renamed() -> StructuralChange {
        StructuralChange {
            kind: ChangeKind::Renamed,
            definition_a: Some("sort_range".into()),
            definition_b: Some("sort_block".into()),
            line_a: Some(100),
            line_b: Some(105),
            path_a: Some(vec!["sort".into(), "sort_range".into()]),
            path_b: Some(vec!["sort".into(), "sort_block".into()]),
            contexts_a: 3,
            contexts_b: 3,
            work_a: 1e8,
            work_b: 2e8,
            share: 0.14,
            grains_a: Some([85, 85]),
            grains_b: Some([85, 85]),
            runs_a: 5,
            runs_b: 1,
            matched_by: Some(MatchedBy::Inferred),
            score: Some(1.0),
            name_similarity: Some(1.0 / 3.0),
        }
    }

    fn possible() -> CandidateMatch {
        let names = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
        CandidateMatch {
            path_a: names(&["sort", "copy:7 (task)"]),
            path_b: names(&["sort", "flush (task)"]),
            contexts_a: 3,
            contexts_b: 4,
            edits: 2,
            similarity: 5.0 / 7.0,
            deleted: Vec::new(),
            inserted: names(&["tile"]),
            renamed: vec![["copy:7 (task)".into(), "flush (task)".into()]],
        }
    }

    #[test]
    fn a_significant_change_that_is_small_shows_why_it_is_undecided() {
        let mut row = row("copy", Some(1e6), Some(1.2e6), Verdict::Inconclusive);
        let shown = |row: &DiffRow| {
            let mut answer = answer();
            answer.rows = vec![row.clone()];
            groups_table(&answer, &[0]).render(Layout::default(), "")
        };
        assert!(shown(&row).ends_with("  ? inconclusive\n"));
        row.reason = Why::TooLittleOfTotal {
            change: None,
            min_share: 0.01,
        }
        .into();
        let expected = "  ? inconclusive, below 1 % of the larger total\n";
        assert!(shown(&row).ends_with(expected));
    }

    fn total() -> TotalChange {
        let (runs_a, runs_b) = (5, 1);
        TotalChange {
            verdict: Verdict::Untestable,
            reason: Why::SingleRun { runs_a, runs_b }.into(),
            ratio: Some(1.178),
            ci: None,
            shift: Some(1.78e8),
            shift_ci: None,
            p: None,
            n_a: runs_a,
            n_b: runs_b,
        }
    }

    fn answer() -> Diff {
        let runs = || vec!["0".repeat(32); 5];
        Diff {
            schema: "diff/1".into(),
            lens: String::new(),
            a: Side {
                name: "version=1".into(),
                runs: runs(),
            },
            b: Side {
                name: "version=2".into(),
                runs: vec!["1".repeat(32)],
            },
            metric: "work_ns".into(),
            label: None,
            estimated: 0,
            scope: sheaf_model::Scope::Exclusive,
            unit: "ns".into(),
            direction: sheaf_model::Direction::HigherIsWorse,
            environment: vec![EnvironmentChange {
                parameter: "version".into(),
                a: vec![ParamValue::Number(1.0)],
                b: Vec::new(),
            }],
            structure: StructureChange {
                verdict: StructureVerdict::Changed,
                reason: Why::VariesFromRunToRun { definitions: 1 }.into(),
                appeared: 1,
                vanished: 1,
                common: 12,
                matched_work: MatchedWork {
                    context: 0.982,
                    definition: 0.011,
                    normalised: 0.0,
                    template: 0.0,
                    confirmed: 0.0,
                    inferred: 0.0,
                    unmatched: 0.007,
                },
                changes: vec![renamed()],
                possible_matches: vec![possible()],
            },
            impact_of: sheaf_answers::ShareOf::BaselineTotal,
            rows: vec![
                row("sort", Some(1e9), Some(1.179e9), Verdict::Slower),
                row("merge", None, Some(1.5e6), Verdict::Appeared),
                row("copy", Some(2e6), None, Verdict::Vanished),
            ],
            totals: Some(DiffTotals {
                a: 1.002e9,
                b: 1.1805e9,
                delta: 1.785e8,
            }),
            total: Some(total()),
            notes: vec![Why::SameRuns.into()],
            smallest_p: Some(0.333),
            runs_needed: Some(4),
            runs_needed_among: Some(4),
            tested: 1,
        }
    }

    #[test]
    fn causes_come_before_effects() {
        let expected = "\
A  version=1 (5 runs)
B  version=2 (1 run)
   work_ns, exclusive; differences are B − A

Environment
  parameter  A  B
  version    1  –

Structure
  changed: 1 definition has other contexts or numbers of grains from run to run
  renamed  sort_range → sort_block  14 %  3 contexts  inferred, score 1.00, names 33.3 % alike
  ? copy:7 (task) (3 contexts) may be flush (task) (4): 1 inserted (tile), 1 renamed (copy:7 (task) → flush (task)); \
    if so, `grainsheaf match --pin 'copy:7 (task) = flush (task)'`
  work matched: 98.2 % by context, 1.1 % by definition, 0.7 % not
  groups: 12 in both, 1 appeared, 1 vanished

Total
  1.00 s → 1.18 s, +178 ms (+17.8 %)
  whole run: not testable: 5 against 1 runs (n = 1)

Groups
  group   A (s)   B (s)  B − A (s)   impact  ratio     interval      n       q  verdict
  sort     1.00    1.18     +0.179  +17.9 %   1.18  1.12 … 1.24  5 : 5  0.0158  ▲ slower
  merge       –  0.0015    +0.0015  +0.15 %      –            –  5 : 5       –  + appeared
  copy   0.0020       –    −0.0020   −0.2 %      –            –  5 : 5       –  − vanished
  A, B: means over runs; impact: B − A as a share of A's total; ratio: typical B / A of runs (Hodges-Lehmann), with its
  interval; n: runs compared
  1 group tested; these numbers of runs can reach p = 0.333; 4 runs per side show a single group at 5 %

Notes
  both sides are the same runs
";
        assert_eq!(
            diff(&answer(), &Ending::default(), 0, Layout::default()),
            expected
        );
    }

    #[test]
    fn only_verdicts_are_coloured() {
        let layout = Layout {
            width: None,
            has_colour: true,
        };
        let text = diff(&answer(), &Ending::default(), 0, layout);
        assert_eq!(text.matches("\u{1b}[0m").count(), 3, "{text}");
        assert!(text.contains("\u{1b}[31m▲ slower\u{1b}[0m"), "{text}");
    }
}
