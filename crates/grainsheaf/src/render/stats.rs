//! Distributions of groups over runs, one table per metric and scope.

use sheaf_answers::{Mode, Stats, StatsRow};

use super::selection::Selection;
use super::table::{Kind, Layout, Table};
use super::text::plain;
use super::{limited, more, notes, path, value};
use sheaf_answers::text::{ABSENT, Scale, metric_in_words};

/// One table per metric and scope, in the order of the answer; at most `limit` rows each, 0 for
/// all.
pub(crate) fn stats(answer: &Stats, limit: usize, layout: Layout) -> String {
    if answer.rows.is_empty() {
        return format!("no groups\n{}", notes(&answer.notes, layout));
    }
    let tables = sections(answer).into_iter().map(|section| {
        let kept = section.kept(limit);
        format!(
            "{}\n{}{}",
            section.title,
            section.table(&kept).render(layout, "  "),
            more(section.rows.len(), kept.len(), "more row", "more rows")
        )
    });
    tables.collect::<Vec<_>>().join("\n") + &notes(&answer.notes, layout)
}

/// The rows of one metric and scope.
pub(super) struct Section<'a> {
    answer: &'a Stats,
    /// The metric and the scope.
    pub(super) title: String,
    /// Places of all rows in the answer.
    pub(super) rows: Vec<usize>,
}

/// One section per metric and scope, in the order of the answer.
pub(super) fn sections(answer: &Stats) -> Vec<Section<'_>> {
    let mut sections: Vec<Section<'_>> = Vec::new();
    for (place, row) in answer.rows.iter().enumerate() {
        let is_same = |section: &&mut Section<'_>| {
            let first = section.rows.first().map(|&first| &answer.rows[first]);
            first.is_some_and(|first| (&first.metric, first.scope) == (&row.metric, row.scope))
        };
        match sections.iter_mut().find(is_same) {
            Some(section) => section.rows.push(place),
            None => sections.push(Section {
                answer,
                title: title(row),
                rows: vec![place],
            }),
        }
    }
    sections
}

impl Section<'_> {
    /// The first rows, at most `limit`, 0 for all; groups outside of every region are kept wherever they stand.
    pub(super) fn kept(&self, limit: usize) -> Vec<usize> {
        let (first, rest) = self.rows.split_at(limited(self.rows.len(), limit));
        let outside = rest.iter().filter(|&&row| self.answer.rows[row].outside);
        first.iter().chain(outside).copied().collect()
    }

    /// Some of the rows, in columns and units that fit all of them.
    pub(super) fn table(&self, kept: &[usize]) -> Table {
        let rows = &self.answer.rows;
        let own = || self.rows.iter().map(|&row| &rows[row]);
        // Values over runs have box plots.
        let is_over_grains = own().any(|row| row.box_plot.is_none() && row.histogram.is_some());
        let unit = own().next().map_or("", |first| first.unit.as_str());
        let columns = Selection::of(self.answer, unit)
            .rows(self.rows.iter().copied())
            .made_name("group", |row| path(&rows[row].path.names()))
            .made_name("cohort", |row| cohort(&rows[row]))
            .when(own().any(|row| !row.cohort.is_empty()))
            .columns("runs, count as grains")
            .when(is_over_grains)
            .columns("absent")
            .if_any()
            .columns("not_measured")
            .if_any()
            .columns("mean, std, min, q1, median, q3, max, share, outliers")
            .if_any()
            .made("modes", Kind::Word, |row, scale| modes(&rows[row], scale))
            .with_unit()
            .when(own().any(|row| row.modes.is_some()))
            .spare(&["outliers", "q1", "q3", "std", "mean", "modes", "share"]);
        columns.table(kept.iter().copied())
    }
}

/// The source's label, in words if it states operations, with our name: `Avg time/rank (avg_time_s)`.
pub(super) fn labelled(label: Option<&str>, metric: &str) -> String {
    match label {
        Some(label) => {
            let words = metric_in_words(label);
            format!("{} ({metric})", words.as_deref().unwrap_or(label))
        }
        None => metric.to_owned(),
    }
}

/// What a table is of.
fn title(row: &StatsRow) -> String {
    let metric = labelled(row.label.as_deref(), &row.metric);
    let estimated = if row.estimated { ", estimated" } else { "" };
    plain(&format!("{metric}, {}{estimated}", row.scope))
}

/// Number of runs and median of both modes.
fn modes(row: &StatsRow, scale: &Scale) -> String {
    row.modes.as_ref().map_or_else(String::new, |modes| {
        let mode = |mode: &Mode| format!("{} × {}", mode.count, scale.show(mode.median));
        format!("{}, {}", mode(&modes.low), mode(&modes.high))
    })
}

fn cohort(row: &StatsRow) -> String {
    let parts = row
        .cohort
        .iter()
        .map(|(name, shared)| format!("{name}={}", value(shared)));
    let text = parts.collect::<Vec<_>>().join(" ");
    if text.is_empty() {
        ABSENT.to_owned()
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use sheaf_answers::{BoxPlot, Modes, Outlier, ParamValue};

    use super::*;

    fn row(name: &str, threads: f64, mean: f64) -> StatsRow {
        StatsRow {
            path: vec!["main".to_owned(), name.to_owned()].into(),
            group: "0".repeat(32),
            cohort: [("threads".to_owned(), ParamValue::Number(threads))].into(),
            metric: "work_ns".into(),
            source_metric: None,
            label: None,
            estimated: false,
            scope: sheaf_model::Scope::Inclusive,
            unit: "ns".into(),
            runs: 5,
            absent: 0,
            not_measured: 0,
            count: 100,
            mean: Some(mean),
            median: Some(mean),
            std: None,
            min: Some(mean / 2.0),
            max: Some(mean * 2.0),
            q1: Some(mean),
            q3: Some(mean),
            p05: None,
            p95: None,
            mad: None,
            median_ci: None,
            box_plot: None,
            modes: None,
            histogram: None,
            load_balance: None,
            share: Some(0.125),
            outside: false,
        }
    }

    fn answer() -> Stats {
        let mut last = row("merge", 8.0, 5.0);
        last.metric = "count".into();
        last.unit = "count".into();
        last.source_metric = Some("count#n".into());
        last.label = Some("Count".into());
        last.absent = 2;
        Stats {
            schema: "stats/1".into(),
            lens: String::new(),
            notes: Vec::new(),
            rows: vec![row("sort", 4.0, 1.5e6), row("sort", 8.0, 7.5e5), last],
        }
    }

    #[test]
    fn every_metric_has_its_table_and_unit() {
        let expected = "\
work_ns, inclusive
  group        cohort     runs  mean (ms)  std (ms)  min (ms)  q1 (ms)  median (ms)  q3 (ms)  max (ms)   share
  main › sort  threads=4     5       1.50         –     0.750     1.50         1.50     1.50      3.00  12.5 %
  main › sort  threads=8     5      0.750         –     0.375    0.750        0.750    0.750      1.50  12.5 %

Count (count), inclusive
  group         cohort     runs  absent  mean  std   min  q1  median  q3  max   share
  main › merge  threads=8     5       2     5    –  2.50   5       5   5   10  12.5 %
";
        assert_eq!(stats(&answer(), 0, Layout::default()), expected);
    }

    #[test]
    fn outliers_and_modes_have_columns_where_there_are_any() {
        let mut answer = answer();
        answer.rows.truncate(1);
        answer.rows[0].box_plot = Some(BoxPlot {
            fences: Some([1e6, 2e6]),
            whiskers: [1.2e6, 1.8e6],
            outlier_count: 1,
            outliers: vec![Outlier {
                owner: "1".repeat(32),
                value: 3e6,
            }],
        });
        let mode = |count: u64, median: f64| Mode {
            count,
            min: median,
            median,
            max: median,
        };
        answer.rows[0].modes = Some(Modes {
            low: mode(7, 1.25e6),
            high: mode(3, 1.75e6),
        });
        let text = stats(&answer, 0, Layout::default());
        let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
        assert!(lines[1].ends_with("share  outliers  modes (ms)"), "{text}");
        assert!(
            lines[2].ends_with("12.5 %         1  7 × 1.25, 3 × 1.75"),
            "{text}"
        );
    }

    #[test]
    fn rows_beyond_the_limit_are_counted() {
        let text = stats(&answer(), 1, Layout::default());
        assert!(
            text.contains("\n… 1 more row; `--limit 0` shows all\n"),
            "{text}"
        );
    }
}
