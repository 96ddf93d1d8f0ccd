//! A scaling study: series by series its points, its laws, where the time went, what is out of order.

mod laws;
mod loss;
mod order;

use std::fmt::Write as _;

use sheaf_answers::{
    ParamValue, Scale, ScalePoint, ScaleSeries, ScaleTable, ScalingKind, WithinBounds,
};

use super::selection::Selection;
use super::table::{Kind, Layout, Table, Tone};
use super::text::{counted, plain};
use super::{Ending, notes, or_absent};
use sheaf_answers::text::{ABSENT, Scale as Units, number, percent};

/// Maximum number of series that are shown in full.
const SERIES: usize = 6;

/// The whole study, each series with the causes of its change at the end; at most `limit` groups of each point, 0 for all.
pub(crate) fn scale(answer: &Scale, endings: &[Ending], limit: usize, layout: Layout) -> String {
    if answer.points.is_empty() {
        return format!("no points\n{}", notes(&answer.notes, layout));
    }
    let shown = series_shown(answer, limit);
    let limit = if limit == 0 { usize::MAX } else { limit };
    let mut text = String::new();
    if answer.series.len() > 1 {
        text.push_str(&utilisation(answer, layout));
    }
    for (number, series) in (0_u32..).zip(&answer.series).take(shown) {
        let part = Part {
            answer,
            number,
            series,
            layout,
            limit,
        };
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&part.text());
        if let Some(ending) = endings.get(number as usize) {
            text.push_str(&ending.text(&part.title_of_causes(), layout));
        }
    }
    if answer.series.len() > shown {
        let hidden = answer.series.len() - shown;
        let hidden = counted(hidden as u64, "more series", "more series");
        let _ = writeln!(
            text,
            "\n… {hidden}; `--where` chooses, `--limit 0` shows all"
        );
    }
    text + &notes(&answer.notes, layout) + hint(answer)
}

/// Number of series that are shown in full.
pub(crate) fn series_shown(answer: &Scale, limit: usize) -> usize {
    let all = answer.series.len();
    if limit == 0 { all } else { all.min(SERIES) }
}

/// The option that states what the answer does not know.
const fn hint(answer: &Scale) -> &'static str {
    if answer.unknown_kind.is_some() {
        "hint: `--scaling weak` or `--scaling strong` states the kind of scaling\n"
    } else {
        ""
    }
}

/// One series.
struct Part<'a> {
    answer: &'a Scale,
    number: u32,
    series: &'a ScaleSeries,
    layout: Layout,
    limit: usize,
}

impl Part<'_> {
    fn text(&self) -> String {
        let mut text = self.title();
        text.push_str(&self.points());
        if self.answer.of_time {
            text.push_str(&self.efficiencies());
        }
        text.push_str(&laws::laws(self));
        text.push_str(&loss::loss(self));
        text.push_str(&order::order(self));
        text
    }

    fn own_points(&self) -> impl Iterator<Item = &ScalePoint> + Clone {
        let number = self.number;
        let points = self.answer.points.iter();
        points.filter(move |point| point.series == number)
    }

    /// The rows of the series in a table, after values of the parameter.
    fn selection(&self, table: ScaleTable) -> Selection<'_> {
        let points = self.answer.points.iter().enumerate();
        let own = points.filter(|(_, point)| point.series == self.number);
        Selection::of_table(self.answer.table_of(table), &self.answer.unit)
            .rows(own.map(|(row, _)| row))
            .columns("p")
            .headed(&self.answer.by)
    }

    fn has_repeats(&self) -> bool {
        self.own_points().any(|point| point.runs.len() > 1)
    }

    /// Of which run figures are that must add up.
    fn of_one_run(&self) -> &'static str {
        if self.has_repeats() {
            " in the run nearest to the median"
        } else {
            ""
        }
    }

    /// The points that causes compare.
    fn title_of_causes(&self) -> String {
        let mut points = self
            .own_points()
            .map(|point| ParamValue::Number(point.p).shown());
        let [first, last] = [points.next(), points.last()].map(Option::unwrap_or_default);
        format!("Causes, from {} = {first} to {last}", self.answer.by)
    }

    fn title(&self) -> String {
        let series = self.series;
        let kind = match series.kind {
            _ if self.own_points().count() < 2 => "one value only",
            ScalingKind::Strong => "strong scaling",
            ScalingKind::Weak => "weak scaling",
            ScalingKind::Unclear => "growth",
        };
        let what = if self.answer.of_elapsed {
            "elapsed time"
        } else {
            self.answer.metric.as_str()
        };
        let runs = counted(series.runs, "run", "runs");
        let mut text = plain(&format!(
            "{}, {kind} by {}, {what}, {runs}",
            series.name, self.answer.by
        ));
        if let Some(exponent) = series.work_exponent {
            let _ = write!(
                text,
                "; total work ∝ {}^{}",
                self.answer.by,
                number(exponent)
            );
        }
        text.push('\n');
        text
    }

    fn points(&self) -> String {
        let times = self.own_points().flat_map(|point| {
            let bounds = [point.interval.map(|ends| ends[1]), Some(point.value)];
            bounds.into_iter().flatten()
        });
        let times = Units::of(&self.answer.unit, times);
        let points = &self.answer.points;
        let is_weak = self.series.kind == ScalingKind::Weak;
        let (speedup, efficiency, serial, law) = if is_weak {
            (
                "scaled_speedup",
                "weak_efficiency",
                "gustafson",
                "Gustafson",
            )
        } else {
            ("speedup", "efficiency", "karp_flatt", "Karp-Flatt")
        };
        let interval = |row: usize| match &points[row] {
            point if is_weak => point.scaled_speedup_interval,
            point => point.speedup_interval,
        };
        let bounds = |row: usize| points[row].lower_bound.zip(points[row].upper_bound);
        let has = |of: fn(&ScalePoint) -> bool| self.own_points().any(of);
        let table = self
            .selection(ScaleTable::Points)
            .scaled(times)
            .columns("runs, value")
            .headed(if self.answer.of_time { "time" } else { "value" })
            .made("95 % interval", Kind::Number, |row, times| {
                ends(points[row].interval, times)
            })
            .when(has(|point| point.interval.is_some()))
            .column(speedup)
            .if_any()
            .made("interval", Kind::Number, |row, _| {
                ends(interval(row), &Units::of("ratio", std::iter::empty()))
            })
            .when(has(|point| point.speedup_interval.is_some()))
            .column(efficiency)
            .if_any()
            .column(serial)
            .headed(law)
            .if_any()
            .made("greedy bounds", Kind::Number, |row, times| {
                ends(bounds(row).map(Into::into), times)
            })
            .with_unit()
            .when(has(|point| point.bound.is_some()))
            .verdict("", |row| bound(&points[row]))
            .when(has(|point| point.bound.is_some()))
            .spare(&["Karp-Flatt", "Gustafson", "interval", "greedy bounds"])
            .first(0);
        table.render(self.layout, "  ") + &self.needs()
    }

    /// How many runs are missing for intervals.
    fn needs(&self) -> String {
        let needs = self.own_points().filter_map(|point| point.needs_runs).max();
        needs.map_or_else(String::new, |runs| {
            format!("  intervals everywhere need {runs} runs of each point\n")
        })
    }

    fn efficiencies(&self) -> String {
        let is_known = self
            .own_points()
            .any(|point| point.parallel_efficiency.is_some());
        if !is_known {
            return String::new();
        }
        let has_parts = self
            .own_points()
            .any(|point| point.transfer_efficiency.is_some());
        let mut table = self.selection(ScaleTable::Points);
        for (name, heading) in [
            ("global_efficiency", "global efficiency"),
            ("computation_scaling", "= computation scaling"),
            ("parallel_efficiency", "× parallel efficiency"),
            ("load_balance", "= load balance"),
            ("communication_efficiency", "× communication"),
            ("serialisation_efficiency", "= serialisation"),
            ("transfer_efficiency", "× transfer"),
        ] {
            let is_part = heading == "= serialisation" || heading == "× transfer";
            table = table
                .column(name)
                .headed(heading)
                .toned(|value| if value < 0.8 { Tone::Bad } else { Tone::Plain })
                .when(!is_part || has_parts);
        }
        let spare = [
            "parallelism",
            "× transfer",
            "= serialisation",
            "× communication",
            "= load balance",
        ];
        let table = table.columns("parallelism").spare(&spare).first(0);
        format!(
            "\nEfficiencies (POP){}; below 80 % is worth a look\n{}",
            self.of_one_run(),
            table.render(self.layout, "  ")
        )
    }
}

fn bound(point: &ScalePoint) -> (String, Tone) {
    let (text, tone) = match point.bound {
        Some(WithinBounds::Below) => ("faster than possible", Tone::Notable),
        Some(WithinBounds::Greedy) => ("as good as greedy scheduling", Tone::Good),
        Some(WithinBounds::Inflated) => ("above; inflated work explains it", Tone::Notable),
        Some(WithinBounds::Above) => ("above; overhead or idle workers", Tone::Bad),
        None => (ABSENT, Tone::Plain),
    };
    (text.to_owned(), tone)
}

/// A value of the parameter: whole numbers without decimals.
fn amount(p: f64) -> String {
    if p.fract() == 0.0 {
        Units::of("count", std::iter::empty()).show(p)
    } else {
        number(p)
    }
}

/// A unit for a sentence; empty for unknown units.
fn unit_name(unit: &str) -> &str {
    if unit == "unknown" { "count" } else { unit }
}

fn share(value: Option<f64>) -> String {
    or_absent(value, percent)
}

fn ends(interval: Option<[f64; 2]>, units: &Units) -> String {
    or_absent(interval, |[low, high]| {
        format!("{} … {}", units.show(low), units.show(high))
    })
}

/// Series against values of the parameter.
fn utilisation(answer: &Scale, layout: Layout) -> String {
    if answer
        .points
        .iter()
        .all(|point| point.utilisation.is_none())
    {
        return String::new();
    }
    let mut all: Vec<f64> = answer.points.iter().map(|point| point.p).collect();
    all.sort_by(f64::total_cmp);
    all.dedup();
    let mut table = Table::default().name("series");
    for p in &all {
        table = table.number(format!("{} = {}", answer.by, amount(*p)));
    }
    for (number, series) in (0_u32..).zip(&answer.series) {
        let at = |p: &f64| {
            let point = answer
                .points
                .iter()
                .find(|point| point.series == number && point.p.total_cmp(p).is_eq());
            share(point.and_then(|point| point.utilisation))
        };
        let mut cells = vec![series.name.clone()];
        cells.extend(all.iter().map(at));
        table.row(cells);
    }
    format!(
        "Utilisation: best time of the fewest workers, whatever the runtime, compiler or build, over p × time\n{}",
        table.render(layout, "  ")
    )
}

#[cfg(test)]
mod tests {
    use sheaf_answers::Why;

    use super::*;

    #[test]
    fn a_kind_of_scaling_that_is_not_known_has_a_hint() {
        let metric = "avg#time".to_owned();
        let unknown = Scale {
            unknown_kind: Some(Why::KindOfScalingUnknown { metric }.into()),
            ..Scale::default()
        };
        assert!(hint(&unknown).contains("`--scaling weak`"));
        assert_eq!(hint(&Scale::default()), "");
    }
}
