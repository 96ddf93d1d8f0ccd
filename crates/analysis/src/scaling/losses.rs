//! Where workers × time went, at each point and by group, so that everything adds up.

use std::collections::BTreeMap;

use sheaf_answers::{ScaleLoss, ScalingKind};
use sheaf_model::RunId;
use sheaf_statistics::scaling::{Loss, Spent};
use sheaf_statistics::{Interval, RankSumNull, Sample, hodges_lehmann_ratio};

use super::ScalingAnalysis;
use super::division::{Point, SeriesKind, same};
use super::fixed::Fixed;
use super::points::ALPHA;
use super::question::TimeBreakdown;

/// The account of each point of a series, in units of [`Fixed`].
#[derive(Debug)]
pub(super) struct Losses {
    fixed: Fixed,
    pub(super) points: Vec<PointLoss>,
}

/// One point.
#[derive(Debug)]
pub(super) struct PointLoss {
    pub(super) p: f64,
    pub(super) workers: i64,
    run: usize,
    reference: usize,
    pub(super) whole: Loss,
    pub(super) groups: Vec<GroupLoss>,
    ready: Vec<Option<i64>>,
    ratios: Vec<(Option<f64>, Option<Interval>)>,
}

/// A group's part: work, and the communication that it is itself.
#[derive(Debug, Clone, Copy)]
pub(super) struct GroupLoss {
    pub(super) group: usize,
    ideal: i128,
    inflation: i128,
    communication: Option<i128>,
}

impl GroupLoss {
    /// Everything that the group took.
    fn sum(&self) -> i128 {
        self.ideal + self.inflation + self.communication.unwrap_or(0)
    }

    fn lost(&self) -> i128 {
        self.inflation.abs() + self.communication.unwrap_or(0)
    }
}

/// Accounts of one series; none where the values are no times of workers.
pub(super) fn losses(
    study: &ScalingAnalysis,
    number: usize,
    kind: &SeriesKind,
    accounts: &BTreeMap<RunId, TimeBreakdown>,
) -> Losses {
    let members = &study.division.series[number];
    let mut losses = Losses {
        fixed: Fixed::new(1.0, true),
        points: Vec::new(),
    };
    let Some(first) = members.points.first().filter(|_| kind.is_scaling) else {
        return losses;
    };
    let builder = Builder {
        study,
        first,
        kind,
        accounts,
    };
    losses.fixed = builder.unit(&members.points);
    let points = members.points.iter();
    losses.points = points
        .filter_map(|point| builder.point(point, losses.fixed))
        .collect();
    losses
}

struct Builder<'a> {
    study: &'a ScalingAnalysis,
    first: &'a Point,
    kind: &'a SeriesKind,
    accounts: &'a BTreeMap<RunId, TimeBreakdown>,
}

impl Builder<'_> {
    fn account(&self, run: usize) -> Option<&TimeBreakdown> {
        self.accounts.get(&self.study.groups.runs()[run].meta.id)
    }

    /// Workers and time of a run.
    fn extent(&self, run: usize) -> Option<(i64, f64)> {
        let measure = &self.study.measured.runs[run];
        match self.account(run) {
            Some(account) => Some((account.workers, account.elapsed as f64)),
            None => Some((measure.workers?, measure.value?)),
        }
    }

    fn unit(&self, points: &[Point]) -> Fixed {
        let mut greatest = 1.0_f64;
        let mut are_whole = true;
        for point in points {
            let run = point.representative;
            let (workers, time) = self.extent(run).unwrap_or((1, 0.0));
            let area = workers as f64 * time;
            greatest = greatest.max(area);
            // A mean over ranks need not be whole where the sum is.
            are_whole &= (area - area.round()).abs() < 1e-6;
            for sum in self.study.measured.runs[run].sums.iter().flatten() {
                are_whole &= sum.fract() == 0.0;
                greatest = greatest.max(sum.abs() * self.growth(points.last().unwrap_or(point)));
            }
        }
        Fixed::new(greatest, are_whole)
    }

    fn growth(&self, point: &Point) -> f64 {
        match self.kind.kind {
            ScalingKind::Weak => point.p / self.first.p,
            ScalingKind::Strong | ScalingKind::Unclear => 1.0,
        }
    }

    fn point(&self, point: &Point, fixed: Fixed) -> Option<PointLoss> {
        let run = point.representative;
        let (workers, time) = self.extent(run)?;
        let own = &self.study.measured.runs[run].sums;
        let reference = &self.study.measured.runs[self.first.representative].sums;
        if own.is_empty() || reference.is_empty() {
            return None;
        }
        let growth = self.growth(point);
        let sum = |sums: &[Option<f64>], half: usize| sums[half].map(|sum| fixed.of(sum));
        let group = |group: usize| {
            let work = sum(own, 2 * group).unwrap_or(0);
            let base = reference[2 * group].map_or(0, |sum| fixed.of(sum * growth));
            GroupLoss {
                group,
                ideal: base,
                inflation: work - base,
                communication: sum(own, 2 * group + 1),
            }
        };
        let groups: Vec<GroupLoss> = (0..self.study.groups.len()).map(group).collect();
        let whole = self.whole(
            &groups,
            run,
            workers,
            fixed.of(workers as f64 * time),
            fixed,
        );
        let groups: Vec<GroupLoss> = groups
            .into_iter()
            .filter(|group| group.ideal != 0 || group.sum() != 0)
            .collect();
        Some(PointLoss {
            p: point.p,
            workers,
            run,
            reference: self.first.representative,
            whole,
            ready: self.ready(run, &groups),
            ratios: groups
                .iter()
                .map(|group| self.ratio(group.group, point))
                .collect(),
            groups,
        })
    }

    /// Of the whole: sums over groups, and what workers did besides.
    fn whole(
        &self,
        groups: &[GroupLoss],
        run: usize,
        workers: i64,
        area: i128,
        fixed: Fixed,
    ) -> Loss {
        let ideal: i128 = groups.iter().map(|group| group.ideal).sum();
        let inflation: i128 = groups.iter().map(|group| group.inflation).sum();
        let communication: i128 = groups.iter().filter_map(|group| group.communication).sum();
        let has_communication = groups.iter().any(|group| group.communication.is_some());
        let Some(account) = self.account(run) else {
            let overhead =
                (!self.study.measured.is_elapsed || has_communication).then_some(communication);
            return Loss {
                area,
                ideal,
                inflation,
                overhead,
                idle: None,
                unexplained: area - ideal - inflation - overhead.unwrap_or(0),
            };
        };
        let part = |value: i64| fixed.of(value as f64);
        let loss = Loss::of(&Spent {
            workers,
            elapsed: account.elapsed,
            work: account.work,
            overhead: account.overhead,
            idle: account.idle,
            reference_work: 0,
        });
        let [overhead, idle] = [account.overhead, account.idle].map(|value| value.map(part));
        let explained = overhead.unwrap_or(0) + idle.unwrap_or(0);
        debug_assert_eq!(loss.sum(), loss.area);
        Loss {
            area,
            ideal,
            inflation,
            overhead,
            idle,
            unexplained: area - ideal - inflation - explained,
        }
    }

    /// How long fragments of each group were ready.
    fn ready(&self, run: usize, groups: &[GroupLoss]) -> Vec<Option<i64>> {
        let by_context = self
            .account(run)
            .and_then(|it| it.ready_by_context.as_ref());
        let Some(by_context) = by_context else {
            return vec![None; groups.len()];
        };
        let mut sums = vec![0_i64; self.study.groups.len()];
        let nodes = self.study.groups.tree.nodes_of_run(run);
        for (node, ready) in nodes.iter().zip(by_context) {
            let group = self.study.groups.grouping.group_of(*node as usize);
            sums[group] = sums[group].saturating_add(*ready);
        }
        groups.iter().map(|group| Some(sums[group.group])).collect()
    }

    /// Median work of the group over its median at the first point, per worker of a growing problem.
    fn ratio(&self, group: usize, point: &Point) -> (Option<f64>, Option<Interval>) {
        let sample = |point: &Point, growth: f64| {
            let work = |run: &usize| {
                let sums = &self.study.measured.runs[*run].sums;
                sums.get(2 * group)
                    .copied()
                    .flatten()
                    .map(|work| work / growth)
            };
            Sample::new(point.runs.iter().filter_map(work))
        };
        let (base, own) = (sample(self.first, 1.0), sample(point, self.growth(point)));
        let base_median = base.median().filter(|&median| median > 0.0);
        let ratio = base_median.and_then(|base| Some(own.median()? / base));
        if same(point.p, self.first.p) {
            return (ratio, None);
        }
        let null = RankSumNull::new(base.len(), own.len());
        let estimate = hodges_lehmann_ratio(&base, &own, &null, ALPHA);
        let interval = estimate.and_then(|estimate| estimate.interval);
        (ratio, interval.zip(ratio).map(with_ratio_of_medians))
    }
}

/// The interval, reaching to the ratio of medians: that is not the median of ratios, and can lie beside.
pub(super) fn with_ratio_of_medians((interval, ratio): (Interval, f64)) -> Interval {
    Interval {
        low: interval.low.min(ratio),
        high: interval.high.max(ratio),
        ..interval
    }
}

impl Losses {
    /// Rows of the answer: for each point the whole, then groups by what they lost.
    pub(super) fn rows(&self, study: &ScalingAnalysis, number: usize) -> Vec<ScaleLoss> {
        let mut rows = Vec::new();
        for point in &self.points {
            let mut order: Vec<usize> = (0..point.groups.len()).collect();
            order.sort_by_key(|&place| {
                let group = &point.groups[place];
                (-group.lost(), -group.ideal, group.group)
            });
            let row = Row {
                losses: self,
                study,
                number,
                point,
            };
            rows.push(row.whole());
            rows.extend(order.into_iter().map(|place| row.group(place)));
        }
        rows
    }

    /// Time per worker that each part took at a point: groups, then what is no group's.
    pub(super) fn per_worker(
        &self,
        study: &ScalingAnalysis,
        place: usize,
    ) -> BTreeMap<Vec<String>, f64> {
        let point = &self.points[place];
        let share = |part: i128| self.fixed.float(part) / point.workers as f64;
        let mut parts: BTreeMap<Vec<String>, f64> = BTreeMap::new();
        for group in &point.groups {
            *parts.entry(study.groups.path(group.group)).or_insert(0.0) += share(group.sum());
        }
        let groups: i128 = point
            .groups
            .iter()
            .filter_map(|group| group.communication)
            .sum();
        let overhead = point.whole.overhead.map(|overhead| overhead - groups);
        let others = [
            ("(overhead)", overhead),
            ("(idle)", point.whole.idle),
            ("(not working)", Some(point.whole.unexplained)),
        ];
        for (name, part) in others {
            if let Some(part) = part.filter(|&part| part != 0) {
                parts.insert(vec![name.to_owned()], share(part));
            }
        }
        parts
    }
}

struct Row<'a> {
    losses: &'a Losses,
    study: &'a ScalingAnalysis,
    number: usize,
    point: &'a PointLoss,
}

impl Row<'_> {
    fn whole(&self) -> ScaleLoss {
        let whole = &self.point.whole;
        let float = |part: i128| self.losses.fixed.float(part);
        let work = float(whole.ideal + whole.inflation);
        ScaleLoss {
            series: u32::try_from(self.number).unwrap_or(u32::MAX),
            p: self.point.p,
            run: self.study.groups.runs()[self.point.run].meta.id.to_string(),
            reference_run: self.study.groups.runs()[self.point.reference]
                .meta
                .id
                .to_string(),
            path: Vec::new(),
            group: None,
            workers: self.point.workers,
            area: float(whole.area),
            ideal: float(whole.ideal),
            inflation: float(whole.inflation),
            overhead: whole.overhead.map(float),
            idle: whole.idle.map(float),
            unexplained: (whole.unexplained != 0).then(|| float(whole.unexplained)),
            inflation_ratio: (whole.ideal > 0).then(|| work / float(whole.ideal)),
            inflation_interval: None,
            ready: None,
        }
    }

    fn group(&self, place: usize) -> ScaleLoss {
        let group = &self.point.groups[place];
        let float = |part: i128| self.losses.fixed.float(part);
        let (ratio, interval) = self.point.ratios[place];
        ScaleLoss {
            path: self.study.groups.path(group.group),
            group: Some(self.study.groups.id(group.group).to_string()),
            area: float(group.sum()),
            ideal: float(group.ideal),
            inflation: float(group.inflation),
            overhead: group.communication.map(float),
            idle: None,
            unexplained: None,
            inflation_ratio: ratio,
            inflation_interval: interval.map(|it| [it.low, it.high]),
            ready: self.point.ready[place].map(|ready| ready as f64),
            ..self.whole()
        }
    }
}
