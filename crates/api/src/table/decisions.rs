//! Tables of gates and of the noise of repeats.

use super::{
    Column, NONE, OF_METRIC, RATIO, SHARE, Table, Tabular, Text, count, high, joined, low, names,
    number, option, some, text, word,
};
use crate::{DiffRow, Gate, GateGroup, GateState, GateTotal, Noise, NoiseCohort, NoiseGroup};

/// The whole run, or a group with the numbers of its comparison.
pub(super) enum GateLine<'a> {
    /// It is tested apart from the groups: it has no q, and no verdict of a group.
    WholeRun(&'a Gate),
    Group(&'a GateGroup, &'a DiffRow),
}

impl<'a> GateLine<'a> {
    fn row(&self) -> Option<&'a DiffRow> {
        match self {
            Self::WholeRun(_) => None,
            Self::Group(_, row) => Some(row),
        }
    }

    fn total(&self) -> Option<&'a GateTotal> {
        match self {
            Self::WholeRun(gate) => gate.total.as_ref(),
            Self::Group(..) => None,
        }
    }

    fn state(&self) -> Option<GateState> {
        match self {
            Self::Group(group, _) => Some(group.state),
            Self::WholeRun(gate) => {
                let undecided = gate.untested_total.as_ref().map(|_| GateState::Undecided);
                self.total().map(|total| total.state).or(undecided)
            }
        }
    }

    /// Means of both sides and their difference.
    fn means(&self) -> [Option<f64>; 3] {
        match self {
            Self::Group(_, row) => [row.a, row.b, row.delta],
            Self::WholeRun(gate) => {
                let totals = gate.diff.totals.as_ref();
                [
                    totals.map(|it| it.a),
                    totals.map(|it| it.b),
                    totals.map(|it| it.delta),
                ]
            }
        }
    }

    fn runs(&self) -> [u64; 2] {
        match self {
            Self::Group(_, row) => [row.runs_a, row.runs_b],
            Self::WholeRun(gate) => [&gate.diff.a, &gate.diff.b].map(|side| side.runs.len() as u64),
        }
    }

    fn ci(&self) -> Option<[f64; 2]> {
        match self {
            Self::Group(_, row) => row.ci,
            Self::WholeRun(_) => self.total().and_then(|total| total.ci),
        }
    }

    fn reason(&self) -> Text<'_> {
        match self {
            Self::Group(group, _) => some(&group.reason),
            Self::WholeRun(gate) => match (&gate.total, &gate.untested_total) {
                (Some(_), _) => some("the whole run is tested separately from its groups"),
                (None, Some(why)) => Some(format!("the whole run is not judged: {why}").into()),
                (None, None) => some("there is nothing to judge of the whole run"),
            },
        }
    }
}

#[expect(clippy::too_many_lines, reason = "a list of columns")]
pub(super) const fn gate<'a>() -> [Column<GateLine<'a>>; 19] {
    [
        text(
            "path",
            "Names from the outermost group, joined by ` / `",
            |line| match line {
                GateLine::WholeRun(_) => some("(whole run)"),
                GateLine::Group(group, _) => joined(&group.path),
            },
        ),
        text(
            "group",
            "Group id; `total` for the whole run",
            |line| match line {
                GateLine::WholeRun(_) => some("total"),
                GateLine::Group(group, _) => some(&group.group),
            },
        ),
        text("state", "What the gate decided", |line| {
            line.state().and_then(word)
        }),
        number(
            "limit",
            RATIO,
            "Largest regression that passes",
            |line| match line {
                GateLine::WholeRun(gate) => Some(gate.limits.max_regression),
                GateLine::Group(group, _) => Some(group.limit),
            },
        ),
        number(
            "worsening",
            RATIO,
            "Regression of the candidate",
            |line| match line {
                GateLine::WholeRun(_) => line.total().map(|total| total.worsening),
                GateLine::Group(group, _) => group.worsening,
            },
        ),
        number("share", SHARE, "Share of the total", |line| match line {
            GateLine::WholeRun(_) => Some(1.0),
            GateLine::Group(group, _) => group.share,
        }),
        text("metric", "Metric", |line| match line {
            GateLine::WholeRun(gate) => some(&gate.diff.metric),
            GateLine::Group(_, row) => some(&row.metric),
        }),
        number("a", OF_METRIC, "Mean over the baseline's runs", |line| {
            line.means()[0]
        }),
        number("b", OF_METRIC, "Mean over the candidate's runs", |line| {
            line.means()[1]
        }),
        number("delta", OF_METRIC, "b − a", |line| line.means()[2]),
        number("ratio", RATIO, "Typical ratio b / a", |line| match line {
            GateLine::WholeRun(_) => line.total().map(|total| total.ratio),
            GateLine::Group(_, row) => row.ratio,
        }),
        number(
            "ci_low",
            RATIO,
            "Lower end of the interval of the ratio",
            |line| low(line.ci()),
        ),
        number(
            "ci_high",
            RATIO,
            "Upper end of the interval of the ratio",
            |line| high(line.ci()),
        ),
        number(
            "p",
            NONE,
            "Two-sided p of the exact rank-sum test",
            |line| match line {
                GateLine::WholeRun(_) => line.total().map(|total| total.p),
                GateLine::Group(_, row) => row.p,
            },
        ),
        number(
            "q",
            NONE,
            "Benjamini-Hochberg q over the tested groups",
            |line| line.row()?.q,
        ),
        text("verdict", "Verdict of the comparison", |line| {
            word(line.row()?.verdict)
        }),
        count("runs_a", "Runs of the baseline", |line| {
            Some(line.runs()[0])
        }),
        count("runs_b", "Runs of the candidate", |line| {
            Some(line.runs()[1])
        }),
        text("reason", "Reason of the decision", GateLine::reason),
    ]
}

/// The whole run, of metrics that add up; then every group.
impl Tabular for Gate {
    fn table(&self) -> Table {
        let mut lines = Vec::new();
        if self.diff.totals.is_some() {
            lines.push(GateLine::WholeRun(self));
        }
        for group in &self.groups {
            let place = usize::try_from(group.row).ok();
            if let Some(row) = place.and_then(|place| self.diff.rows.get(place)) {
                lines.push(GateLine::Group(group, row));
            }
        }
        Table::new(&lines, &gate())
    }
}

/// A group of a configuration, with the answer's metric.
pub(super) type NoiseLine<'a> = (&'a NoiseCohort, &'a NoiseGroup, &'a str);

pub(super) const fn noise_group<'a>() -> [Column<NoiseLine<'a>>; 2] {
    [
        text(
            "path",
            "Names from the outermost group, joined by ` / `",
            |line| joined(&line.1.path),
        ),
        text("group", "Group id", |line| some(&line.1.group)),
    ]
}

pub(super) const fn noise<'a>() -> [Column<NoiseLine<'a>>; 9] {
    [
        text("metric", "Metric", |line| option(Some(line.2))),
        count("repeats", "Runs of the configuration", |line| {
            Some(line.0.runs.len() as u64)
        }),
        count("runs", "Runs in which the group has a value", |line| {
            Some(line.1.runs)
        }),
        number("median", OF_METRIC, "Median over the repeats", |line| {
            Some(line.1.median)
        }),
        number("share", SHARE, "Share of the total", |line| line.1.share),
        number("spread", RATIO, "Relative spread of the repeats", |line| {
            line.1.spread
        }),
        number(
            "visible",
            RATIO,
            "Minimum change that a test of this many repeats can show",
            |line| line.1.visible,
        ),
        number(
            "seen",
            RATIO,
            "Largest change between two halves of the repeats",
            |line| line.1.seen,
        ),
        number("threshold", RATIO, "Suggested limit for a gate", |line| {
            line.1.threshold
        }),
    ]
}

/// Groups of all configurations; parameters become columns `cohort.NAME`.
impl Tabular for Noise {
    fn table(&self) -> Table {
        let mut lines: Vec<NoiseLine<'_>> = Vec::new();
        for cohort in &self.cohorts {
            lines.extend(
                cohort
                    .groups
                    .iter()
                    .map(|group| (cohort, group, self.metric.as_str())),
            );
        }
        let parameters = names(self.cohorts.iter().map(|cohort| &cohort.values));
        let mut table = Table::new(&lines, &noise_group());
        table.add_parameters(&lines, "cohort", &parameters, |line| &line.0.values);
        table.add(&lines, &noise());
        table
    }
}
