//! Distributions of groups over runs, one table per metric and scope.

use sheaf_api::{Stats, StatsRow};

use super::quantity::{ABSENT, Scale, count, percent};
use super::table::{Layout, Table};
use super::text::plain;
use super::{limited, more, notes, path, value};

/// One table per metric and scope, in the order of the answer; at most `limit` rows each, 0 for
/// all.
pub(crate) fn stats(answer: &Stats, limit: usize, layout: Layout) -> String {
    if answer.rows.is_empty() {
        return format!("no groups\n{}", notes(&answer.notes));
    }
    let mut sections: Vec<(&str, &str, Vec<&StatsRow>)> = Vec::new();
    for row in &answer.rows {
        let known = sections.iter_mut().find(|(metric, scope, _)| {
            *metric == row.metric.as_str() && *scope == row.scope.as_str()
        });
        match known {
            Some((_, _, rows)) => rows.push(row),
            None => sections.push((&row.metric, &row.scope, vec![row])),
        }
    }
    let tables = sections
        .iter()
        .map(|(_, _, rows)| section(rows, limit, layout));
    tables.collect::<Vec<_>>().join("\n") + &notes(&answer.notes)
}

fn section(rows: &[&StatsRow], limit: usize, layout: Layout) -> String {
    let Some(first) = rows.first() else {
        return String::new();
    };
    let scale = Scale::of(
        &first.unit,
        rows.iter().filter_map(|row| row.max.or(row.mean)),
    );
    let has_cohorts = rows.iter().any(|row| !row.cohort.is_empty());
    let has_absent = rows.iter().any(|row| row.absent > 0);
    let has_unmeasured = rows.iter().any(|row| row.not_measured > 0);

    let mut table = Table::default().name("group");
    if has_cohorts {
        table = table.name("cohort");
    }
    table = table.number("runs");
    if has_absent {
        table = table.number("absent");
    }
    if has_unmeasured {
        table = table.number("not measured");
    }
    for name in ["mean", "std", "min", "q1", "median", "q3", "max"] {
        table = table.number(scale.header(name));
    }
    table = table.number("share");

    let shown = limited(rows.len(), limit);
    for row in rows.iter().take(shown) {
        let mut cells = vec![path(&row.path)];
        cells.extend(has_cohorts.then(|| cohort(row)));
        cells.push(count(row.runs));
        cells.extend(has_absent.then(|| count(row.absent)));
        cells.extend(has_unmeasured.then(|| count(row.not_measured)));
        let numbers = [
            row.mean, row.std, row.min, row.q1, row.median, row.q3, row.max,
        ];
        cells.extend(numbers.map(|number| scale.show_option(number)));
        cells.push(row.share.map_or_else(|| ABSENT.to_owned(), percent));
        table.row(cells);
    }
    let source = first
        .source_metric
        .as_ref()
        .filter(|source| **source != first.metric);
    let source = source.map_or_else(String::new, |source| format!(" (`{source}`)"));
    let title = plain(&format!("{}{source}, {}", first.metric, first.scope));
    format!(
        "{title}\n{}{}",
        table.render(layout, "  "),
        more(rows.len(), shown, "more row", "more rows")
    )
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
    use sheaf_api::ParamValue;

    use super::*;

    fn row(name: &str, threads: f64, mean: f64) -> StatsRow {
        StatsRow {
            path: vec!["main".into(), name.into()],
            group: "0".repeat(32),
            cohort: [("threads".to_owned(), ParamValue::Number(threads))].into(),
            metric: "work_ns".into(),
            source_metric: None,
            scope: "inclusive".into(),
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
            load_balance: None,
            share: Some(0.125),
        }
    }

    fn answer() -> Stats {
        let mut last = row("merge", 8.0, 5.0);
        last.metric = "count".into();
        last.unit = "count".into();
        last.source_metric = Some("Count".into());
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

count (`Count`), inclusive
  group         cohort     runs  absent  mean  std   min  q1  median  q3  max   share
  main › merge  threads=8     5       2     5    –  2.50   5       5   5   10  12.5 %
";
        assert_eq!(stats(&answer(), 0, Layout::default()), expected);
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
