//! Versions in which a group occurs but was not measured: no step of the whole run, and no new group.

use super::*;
use sheaf_answers::HistoryGroup;

/// Eight versions, of which the first `unmeasured` have a half of the run without values; `new` occurs from the
/// fourth on, measured from the sixth on.
fn partly(unmeasured: usize) -> Vec<Arc<RunSummary>> {
    let mut text = String::new();
    for version in 1..=8 {
        for repeat in 0..4 {
            let _ = writeln!(text, "run v{version}r{repeat} version=1.{version}");
            let mut group = |name: &str, work: f64, is_measured: bool, number: usize| {
                let work = work * noise(version, repeat, number);
                let value = if is_measured {
                    format!(" work_ns {work:.0}")
                } else {
                    String::new()
                };
                let _ = writeln!(text, "  main/{name}{value}");
            };
            group("still", 5e8, true, 1);
            group("nm", 5e8, version > unmeasured, 2);
            if version >= 4 {
                group("new", 1e6, version >= 6, 3);
            }
        }
    }
    runs(&text)
}

#[test]
fn a_whole_run_without_a_group_is_not_compared() {
    let answer = follow(&partly(5), &HistoryOrder::Versions);
    let series = &answer.series[0];
    // Events follow the structure: `nm` is in all versions, `new` in those from the fourth on.
    assert_eq!(told(series), "new appeared at 1.4");
    let row = |name: &str| series.groups.iter().find(|row| row.path == [name]).unwrap();
    let known = |row: &HistoryGroup| row.values.iter().map(Option::is_some).collect::<Vec<_>>();
    let expected = [false, false, false, false, false, true, true, true];
    assert_eq!(known(row("nm")), expected);
    let whole = row("(whole run)");
    assert_eq!(known(whole), expected);
    assert!(whole.changes.is_empty(), "{whole:?}");
    assert!(
        Note::texts(&answer.notes).contains(
            &"the whole run of 1.1, 1.2, 1.3 and 2 more is not compared: `work_ns` was not measured in all runs of nm"
                .to_owned()
        ),
        "{:?}",
        answer.notes
    );
}

#[test]
fn small_groups_do_not_hide_the_whole_run() {
    let answer = follow(&partly(0), &HistoryOrder::Versions);
    let rows = &answer.series[0].groups;
    let whole = rows.iter().find(|row| row.group == WHOLE_RUN).unwrap();
    assert!(whole.values.iter().all(Option::is_some), "{whole:?}");
    assert_eq!(whole.last.as_ref().unwrap().verdict, Verdict::Unchanged);
    assert!(
        answer
            .notes
            .iter()
            .all(|note| !note.text.contains("whole run"))
    );
}
