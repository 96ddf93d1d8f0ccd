//! A gate as `JUnit` XML: one suite, a test case per group, in the form that CI services read.

use std::fmt::Write as _;

use sheaf_answers::{Gate, GateGroup, GateOutcome, GateState, Reason};
use sheaf_ensemble::xml_text;
use sheaf_model::visible;

use super::super::notes::with_hints;
use super::super::{path, values};
use super::{elapsed, gate_headline, limits, outcome, power, whole_run};

/// The report. There are no times and no host in it, so that the same runs give the same bytes.
pub(crate) fn gate_junit(answer: &Gate) -> String {
    let cases = cases(answer);
    let failures = cases
        .iter()
        .filter(|case| case.fault == Some(JunitFailure::Failure))
        .count();
    let skipped = cases
        .iter()
        .filter(|case| case.fault == Some(JunitFailure::Skipped))
        .count();
    let counts = format!(
        "tests=\"{}\" failures=\"{failures}\" errors=\"0\"",
        cases.len()
    );
    let diff = &answer.diff;
    let name = shown(&format!("{} against {}", diff.b.name, diff.a.name));
    // Writing to a string does not fail.
    let mut text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_owned();
    let _ = writeln!(text, "<testsuites name=\"grainsheaf gate\" {counts}>");
    let _ = writeln!(
        text,
        "  <testsuite name=\"{name}\" {counts} skipped=\"{skipped}\">"
    );
    text.push_str(&properties(answer));
    for case in &cases {
        text.push_str(&case.to_xml());
    }
    let lines = [gate_headline(answer)]
        .into_iter()
        .chain(with_hints(&diff.notes));
    let lines = lines.map(|line| shown(&line)).collect::<Vec<_>>();
    let _ = writeln!(text, "    <system-out>{}</system-out>", lines.join("&#10;"));
    text.push_str("  </testsuite>\n</testsuites>\n");
    text
}

/// A text in XML, with what cannot be seen written out.
fn shown(text: &str) -> String {
    xml_text(&visible(text)).into_owned()
}

fn properties(answer: &Gate) -> String {
    let diff = &answer.diff;
    let mut all = vec![
        ("outcome".to_owned(), outcome(answer.outcome).0.to_owned()),
        ("baseline".to_owned(), diff.a.name.clone()),
        ("baseline runs".to_owned(), diff.a.runs.join(" ")),
        ("candidate".to_owned(), diff.b.name.clone()),
        ("candidate runs".to_owned(), diff.b.runs.join(" ")),
        ("metric".to_owned(), diff.metric.clone()),
        ("limits".to_owned(), limits(answer)),
        ("power".to_owned(), power(answer)),
    ];
    all.extend(diff.environment.iter().map(|change| {
        let difference = format!("{} against {}", values(&change.b), values(&change.a));
        (format!("environment.{}", change.parameter), difference)
    }));
    let mut text = "    <properties>\n".to_owned();
    for (name, value) in all {
        let (name, value) = (shown(&name), shown(&value));
        let _ = writeln!(text, "      <property name=\"{name}\" value=\"{value}\"/>");
    }
    text.push_str("    </properties>\n");
    text
}

/// Why a case did not pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum JunitFailure {
    Failure,
    Skipped,
}

struct Case {
    class: &'static str,
    name: String,
    fault: Option<JunitFailure>,
    /// Word for the kind of failure.
    kind: &'static str,
    message: String,
}

impl Case {
    fn to_xml(&self) -> String {
        let (class, name) = (self.class, shown(&self.name));
        let message = shown(&self.message);
        let head = format!("    <testcase classname=\"grainsheaf.{class}\" name=\"{name}\"");
        match self.fault {
            None => format!("{head}/>\n"),
            Some(JunitFailure::Skipped) => {
                format!("{head}>\n      <skipped message=\"{message}\"/>\n    </testcase>\n")
            }
            Some(JunitFailure::Failure) => {
                let kind = self.kind;
                format!(
                    "{head}>\n      <failure type=\"{kind}\" message=\"{message}\">{message}</failure>\n    </testcase>\n"
                )
            }
        }
    }
}

/// What a state means for its case, and the word for it.
const fn fault(state: GateState, undecided: JunitFailure) -> (Option<JunitFailure>, &'static str) {
    match state {
        GateState::Failed => (Some(JunitFailure::Failure), "slower"),
        GateState::Undecided => (Some(undecided), "inconclusive"),
        GateState::Passed | GateState::Small | GateState::NotAsked => (None, ""),
    }
}

/// The whole run and its elapsed time.
fn of_run(answer: &Gate, undecided: JunitFailure) -> impl Iterator<Item = Case> {
    let untested = answer.untested_total.as_ref();
    let total = answer.total.as_ref().map(|total| total.state);
    let total = untested.map(|_| GateState::Undecided).or(total);
    let longer = answer.elapsed.as_ref().map(|it| it.change.state);
    let judged = [
        ("whole run", total.zip(whole_run(answer))),
        ("elapsed time", longer.zip(elapsed(answer))),
    ];
    judged.into_iter().filter_map(move |(name, judged)| {
        let (state, message) = judged.filter(|(state, _)| *state != GateState::NotAsked)?;
        let (fault, kind) = fault(state, undecided);
        Some(Case {
            class: "run",
            name: name.to_owned(),
            fault,
            kind,
            message,
        })
    })
}

fn cases(answer: &Gate) -> Vec<Case> {
    let is_strict = answer.limits.is_strict;
    let undecided = if is_strict {
        JunitFailure::Failure
    } else {
        JunitFailure::Skipped
    };
    let group = |group: &GateGroup| {
        let (fault, kind) = fault(group.state, undecided);
        Case {
            class: "group",
            name: path(&group.path),
            fault,
            kind,
            message: group.reason.text().to_owned(),
        }
    };
    // What was not asked is no case: it neither passed nor failed.
    let is_asked = |state| state != GateState::NotAsked;
    let groups = answer.groups.iter().filter(|group| is_asked(group.state));
    let mut cases: Vec<Case> = groups.map(group).collect();
    let fails_on_structure = answer
        .limits
        .fail_on
        .contains(&sheaf_answers::GateCause::Structure);
    cases.push(Case {
        class: "structure",
        name: "structure".to_owned(),
        fault: (fails_on_structure && answer.structure_change.is_some())
            .then_some(JunitFailure::Failure),
        kind: "structure",
        message: answer
            .structure_change
            .as_ref()
            .map_or_else(String::new, |change| change.text().to_owned()),
    });
    if let Some(incomplete) = &answer.incomplete {
        cases.push(Case {
            class: "candidate",
            name: "complete".to_owned(),
            fault: Some(JunitFailure::Failure),
            kind: "incomplete",
            message: incomplete.text().to_owned(),
        });
    }
    cases.extend(of_run(answer, undecided));
    // What no group shows, such as sides without a group in common.
    let is_shown = cases.iter().any(|case| case.fault.is_some());
    let is_open = answer.outcome == GateOutcome::Inconclusive && !is_shown;
    cases.push(Case {
        class: "comparison",
        name: "comparison".to_owned(),
        fault: is_open.then_some(undecided),
        kind: "inconclusive",
        message: Reason::joined(&answer.reasons),
    });
    cases
}
