//! Tables of gates and of the noise of repeats.

use std::rc::Rc;

use super::{
    OF_METRIC, RATIO, SHARE, Table, Tabular, Text, columns, high, joined, low, names, option, some,
};
use crate::{
    DiffRow, Gate, GateElapsed, GateGroup, GateState, GateTotal, Noise, NoiseCohort, NoiseGroup,
};

/// The whole run, or a group with the numbers of its comparison.
pub enum GateLine<'a> {
    /// It is tested separately from the groups: it has no q, and no verdict of a group.
    WholeRun(&'a Gate),
    /// The elapsed time of whole runs, tested with their totals.
    Elapsed(&'a Gate, &'a GateElapsed),
    /// A group, and its row of the comparison.
    Group(&'a GateGroup, &'a DiffRow),
}

impl<'a> GateLine<'a> {
    fn row(&self) -> Option<&'a DiffRow> {
        match self {
            Self::WholeRun(_) | Self::Elapsed(..) => None,
            Self::Group(_, row) => Some(row),
        }
    }

    fn total(&self) -> Option<&'a GateTotal> {
        match self {
            Self::WholeRun(gate) => gate.total.as_ref(),
            Self::Elapsed(_, elapsed) => Some(&elapsed.change),
            Self::Group(..) => None,
        }
    }

    fn state(&self) -> Option<GateState> {
        match self {
            Self::Group(group, _) => Some(group.state),
            Self::Elapsed(_, elapsed) => Some(elapsed.change.state),
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
            Self::Elapsed(_, elapsed) => [
                Some(elapsed.a),
                Some(elapsed.b),
                Some(elapsed.b - elapsed.a),
            ],
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
            Self::WholeRun(gate) | Self::Elapsed(gate, _) => {
                [&gate.diff.a, &gate.diff.b].map(|side| side.runs.len() as u64)
            }
        }
    }

    fn ci(&self) -> Option<[f64; 2]> {
        match self {
            Self::Group(_, row) => row.ci,
            Self::WholeRun(_) | Self::Elapsed(..) => self.total().and_then(|total| total.ci),
        }
    }

    fn reason(&self) -> Text<'_> {
        match self {
            Self::Group(group, _) => some(group.reason.text()),
            Self::Elapsed(..) => some("the elapsed time is tested with the whole run"),
            Self::WholeRun(gate) => match (&gate.total, &gate.untested_total) {
                (Some(_), _) => some("the whole run is tested separately from its groups"),
                (None, Some(why)) => Some(format!("the whole run is not judged: {why}").into()),
                (None, None) => some("there is nothing to judge of the whole run"),
            },
        }
    }
}

columns! {
    pub(super) fn gate<'a>(line: GateLine<'a>) {
        Text path: "Names from the outermost group, joined by ` / `" = match line {
                GateLine::WholeRun(_) => some("(whole run)"),
                GateLine::Elapsed(..) => some("(elapsed time)"),
                GateLine::Group(group, _) => joined(&group.path),
            };
        Text group: "Group id; `total` for the whole run, `elapsed` for its elapsed time" = match line {
                GateLine::WholeRun(_) => some("total"),
                GateLine::Elapsed(..) => some("elapsed"),
                GateLine::Group(group, _) => some(&group.group),
            };
        Text state: "What the gate decided" = option(line.state().map(GateState::as_str));
        Number limit [SHARE]: "Largest regression that passes" = match line {
                GateLine::WholeRun(gate) | GateLine::Elapsed(gate, _) => Some(gate.limits.max_regression),
                GateLine::Group(group, _) => Some(group.limit),
            };
        Number regression [SHARE]: "Regression of the candidate" = match line {
                GateLine::Group(group, _) => group.regression,
                _ => line.total().map(|total| total.regression),
            };
        Number share [SHARE]: "Share of the total" = match line {
            GateLine::WholeRun(_) => Some(1.0),
            GateLine::Elapsed(..) => None,
            GateLine::Group(group, _) => group.share,
        };
        Text metric: "Metric" = match line {
            GateLine::WholeRun(gate) => some(&gate.diff.metric),
            GateLine::Elapsed(..) => some("elapsed"),
            GateLine::Group(_, row) => some(&row.metric),
        };
        Number a [OF_METRIC]: "Mean over the baseline's runs" = line.means()[0];
        Number b [OF_METRIC]: "Mean over the candidate's runs" = line.means()[1];
        Number delta [OF_METRIC]: "b − a" = line.means()[2];
        Number ratio [RATIO]: "Typical ratio b / a" = match line {
            GateLine::Group(_, row) => row.ratio,
            _ => line.total().map(|total| total.ratio),
        };
        Number ci_low [RATIO]: "Lower end of the interval of the ratio" = low(line.ci());
        Number ci_high [RATIO]: "Upper end of the interval of the ratio" = high(line.ci());
        Number p: "Two-sided p of the exact rank-sum test" = match line {
                GateLine::Group(_, row) => row.p,
                _ => line.total().map(|total| total.p),
            };
        Number q: "Benjamini-Hochberg q over the tested groups" = line.row()?.q;
        Text verdict: "Verdict of the comparison" = some(line.row()?.verdict.as_str());
        Count runs_a: "Runs of the baseline" = Some(line.runs()[0]);
        Count runs_b: "Runs of the candidate" = Some(line.runs()[1]);
        Text reason: "Reason of the decision" = line.reason();
    }
}

impl Gate {
    /// The rows of its table: the whole run, of metrics that add up, and its elapsed time; then every group.
    pub fn lines(&self) -> Vec<GateLine<'_>> {
        let mut lines = Vec::new();
        if self.diff.totals.is_some() {
            lines.push(GateLine::WholeRun(self));
        }
        if let Some(elapsed) = &self.elapsed {
            lines.push(GateLine::Elapsed(self, elapsed));
        }
        for group in &self.groups {
            let place = usize::try_from(group.row).ok();
            if let Some(row) = place.and_then(|place| self.diff.rows.get(place)) {
                lines.push(GateLine::Group(group, row));
            }
        }
        lines
    }
}

impl Tabular for Gate {
    fn table(&self) -> Table<'_> {
        Table::new(Rc::<[_]>::from(self.lines()), gate())
    }
}

/// A group of a configuration, with the answer's metric.
pub type NoiseLine<'a> = (&'a NoiseCohort, &'a NoiseGroup, &'a str);

columns! {
    pub(super) fn noise_group<'a>(line: NoiseLine<'a>) {
        Text path: "Names from the outermost group, joined by ` / `" = joined(&line.1.path);
        Text group: "Group id" = some(&line.1.group);
    }
}

columns! {
    pub(super) fn noise<'a>(line: NoiseLine<'a>) {
        Text metric: "Metric" = option(Some(line.2));
        Count repeats: "Runs of the configuration" = Some(line.0.runs.len() as u64);
        Count runs: "Runs in which the group has a value" = Some(line.1.runs);
        Number median [OF_METRIC]: "Median over the repeats" = Some(line.1.median);
        Number share [SHARE]: "Share of the total" = line.1.share;
        Number spread [SHARE]: "Relative spread of the repeats" = line.1.spread;
        Number visible [SHARE]: "Minimum change that a test of this many repeats can show" = line.1.visible;
        Number seen [SHARE]: "Change between halves of the repeats that only the share alpha of the splits exceeds" = line.1.seen;
        Number threshold [SHARE]: "Suggested limit for a gate: the larger of `visible` and `seen`" = line.1.threshold;
    }
}

impl Noise {
    /// The rows of its table: groups of all configurations.
    pub fn lines(&self) -> Vec<NoiseLine<'_>> {
        let mut lines: Vec<NoiseLine<'_>> = Vec::new();
        for cohort in &self.cohorts {
            let groups = cohort.groups.iter();
            lines.extend(groups.map(|group| (cohort, group, self.metric.as_str())));
        }
        lines
    }
}

/// Parameters become columns `cohort.NAME`.
impl Tabular for Noise {
    fn table(&self) -> Table<'_> {
        let parameters = names(self.cohorts.iter().map(|cohort| &cohort.values));
        let lines = Rc::<[_]>::from(self.lines());
        let mut table = Table::new(Rc::clone(&lines), noise_group());
        table.add_parameters(&lines, "cohort", &parameters, |line| &line.0.values);
        table.add(&lines, noise());
        table
    }
}
