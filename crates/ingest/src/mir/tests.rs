//! Tests of the reader on small texts.

use sheaf_model::{Progress, Report, RunTables};

use super::Table;
use crate::{Error, Input, NoModules, ReadOutcome, Symbols};

const HEADER: &str = "task,parent,joins_at,child_number,exec_cycles,overhead_cycles";

fn table(text: &str) -> (Table, Report) {
    let content = text.as_bytes().to_vec();
    let mut report = Report::default();
    let found = super::read::read(content.as_slice(), &mut report).unwrap();
    (found.table, report)
}

fn reading(text: &str) -> ReadOutcome {
    let content = text.as_bytes().to_vec();
    let inputs = [Input::new("t.csv", &content)];
    crate::read(&inputs, &Symbols::new(NoModules), &Progress::silent()).unwrap()
}

fn tables(text: &str) -> RunTables {
    let mut reading = reading(text);
    assert!(reading.refused.is_empty(), "{:?}", reading.refused);
    let run = reading.runs.pop().unwrap();
    run.tables.validate().unwrap();
    run.tables
}

/// Findings as `kind count (first)`.
fn findings(report: &Report) -> String {
    let lines = report.findings.iter().map(|finding| {
        let first = finding.first.as_deref().unwrap_or("-");
        format!("{} {} ({first})", finding.kind, finding.count)
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Parents of the rows, by number of task; 0 for none.
fn parents(table: &Table) -> Vec<i64> {
    let parent = |row| {
        table
            .parent_row(row)
            .map_or(0, |at| table.task.get(at).unwrap())
    };
    (0..table.len()).map(parent).collect()
}

#[test]
fn columns_come_in_any_order_with_comments_and_quotes() {
    let text = "# made by hand\n\"tag\",\"parent\",\"task\",\"joins_at\",\"wait_instants\"\n\
                \"a, \"\"b\"\"\",0,1,0,\"[0;7]\"\n# nothing\n0x7f00,1,2,0,[0]\n";
    let (table, report) = table(text);
    assert_eq!(findings(&report), "read_tasks 2 (-)");
    assert_eq!(parents(&table), [0, 1]);
    assert_eq!(table.text(table.tag(0)), Some("a, \"b\""));
    assert_eq!(table.text(table.tag(1)), None);
    assert_eq!(table.waits(0), [7]);
    assert_eq!(table.join_instant.get(1), Some(7));
}

#[test]
fn what_cannot_be_used_is_skipped_and_counted() {
    let text = format!(
        "{HEADER},exec_cycles,PAPI_X_sum,note\n\
         1,0,0,1,100,40,1,5,text\n\
         2,NA,0,1,1,1,1,1,text\n\
         3,1,0,1,9,5\n\
         4,1,0,1,9,5,1,1,text,more\n\
         1,0,0,1,7,7,1,1,text\n\
         x,0,0,1,7,7,1,1,text\n\
         5,1,0,2,-5,1e400,1,0.5,NA\n\
         6,1,0,3,10,20,1,Inf,text\n"
    );
    let (table, report) = table(&text);
    assert_eq!(
        findings(&report),
        "skipped_columns 2 (exec_cycles)\n\
         skipped_background_tasks 1 (line 3)\n\
         skipped_rows 3 (line 4: 6 fields instead of 9)\n\
         skipped_repeated_tasks 1 (line 6: task 1)\n\
         read_tasks 3 (-)\n\
         skipped_values 3 (line 8: exec_cycles `-5`)\n\
         skipped_work 2 (task 5)"
    );
    assert_eq!(table.work_cycles.get(0), Some(60));
    assert_eq!(table.exec_cycles.get(1), None);
    assert_eq!(table.measured("PAPI_X_sum").unwrap().get(1), Some(0.5));
    assert!(table.measured("note").is_none());
}

#[test]
fn cycles_and_missing_parents_are_repaired() {
    let text = format!(
        "{HEADER}\n5,4,0,1,1,0\n4,3,0,1,1,0\n3,5,0,1,1,0\n6,5,0,2,1,0\n7,7,0,1,1,0\n8,99,2,1,1,0\n"
    );
    let (table, report) = table(&text);
    assert_eq!(
        findings(&report),
        "read_tasks 6 (-)\n\
         repaired_missing_parents 1 (task 8, parent 99)\n\
         repaired_cycles_of_parents 2 (task 3)"
    );
    assert_eq!(parents(&table), [4, 3, 0, 5, 0, 0]);
    let tables = tables(&text);
    let flags: Vec<i32> = tables.grains.rows().map(|grain| grain.flags).collect();
    assert_eq!(flags, [256; 6]);
}

#[test]
fn gaps_of_waits_are_kept_and_counted() {
    let text = format!("{HEADER}\n1,0,0,1,9,0\n2,1,0,1,1,0\n3,1,2,2,1,0\n4,1,5,3,1,0\n");
    let (_, report) = table(&text);
    assert!(findings(&report).ends_with("read_gaps_of_joins_at 1 (task 1, wait 1)"));
    let tables = tables(&text);
    let waits: Vec<_> = tables.grains.rows().map(|grain| grain.joined_by).collect();
    assert_eq!(waits, [Some(0), Some(0), Some(2), Some(5)]);
}

#[test]
fn stated_columns_are_kept_and_no_other_is_computed() {
    let text = "task,parent,joins_at,child_number,num_children,cpu_id,exec_cycles,overhead_cycles,\
                creation_cycles,lineage,leaf,parallel_benefit,work_cycles\n\
                1,0,0,1,1,0,100,40,5,R-1,FALSE,NA,60\n\
                2,1,0,1,0,0,50,0,10,R-1-2,FALSE,1.3,50\n";
    let (table, report) = table(text);
    assert_eq!(findings(&report), "read_tasks 2 (-)");
    // 50 / (10 + (40 - 10) / 1) is 1.25: the value of the source stands.
    assert_eq!(
        table.measured("parallel_benefit").unwrap().get(1),
        Some(1.3)
    );
    let tables = tables(text);
    let metrics = tables.summary.metrics.rows().map(|row| row.name);
    assert_eq!(
        metrics.collect::<Vec<_>>(),
        [
            "creation_ticks",
            "exec_cycles",
            "grains",
            "overhead_cycles",
            "parallel_benefit",
            "task",
            "work_ticks"
        ]
    );
}

#[test]
fn chunks_have_paths_that_do_not_depend_on_who_ran_them() {
    let loop_of = |member: i64| {
        format!(
            "task,parent,joins_at,child_number,cpu_id,exec_cycles,overhead_cycles,tag,metadata,outline_function\n\
             1,0,0,1,0,9,0,idle_task,NA,0x10\n\
             2,1,0,1,0,9,0,GOMP_parallel_task,NA,0x20\n\
             3,1,0,2,1,9,0,GOMP_parallel_task,NA,0x20\n\
             4,{member},0,1,1,9,0,GOMP_for_dynamic_task,chunk_start,0x20\n\
             5,{member},0,2,1,9,0,GOMP_for_dynamic_task,chunk_0_8,0x20\n"
        )
    };
    let keys = |text: &str| {
        let tables = tables(text);
        let rows = tables.grains.rows();
        let chunk = rows.filter(|grain| grain.kind == 3).map(|grain| {
            (
                grain.path_key,
                grain.sequence,
                grain.first_iteration,
                grain.iterations,
                grain.flags,
            )
        });
        chunk.collect::<Vec<_>>()
    };
    let (one, other) = (keys(&loop_of(2)), keys(&loop_of(3)));
    assert_eq!(one, other);
    assert_eq!(one.len(), 1);
    assert_eq!(
        (one[0].1, one[0].2, one[0].3, one[0].4),
        (Some(0), Some(0), Some(8), 0)
    );
}

#[test]
fn a_table_that_is_cut_within_a_row_is_incomplete() {
    let is_complete = |text: &str| {
        let run = reading(text).runs.pop().unwrap();
        assert_eq!(run.report.count("skipped_rows"), 1);
        run.tables.summary.meta.is_complete
    };
    let columns = HEADER.split(',').count();
    let short = vec!["1"; columns - 1].join(",");
    let first = format!("1,0,0{}\n", ",1".repeat(columns - 3));
    assert!(!is_complete(&format!("{HEADER}\n{first}{short}")));
    // The work of a row in the middle is missing in the totals of its parents.
    let second = first.replacen("1,0", "2,1", 1);
    let good = tables(&format!("{HEADER}\n{first}{second}"));
    assert!(good.summary.meta.is_complete);
    let long = format!("{},7", second.trim_end());
    for lost in [short.clone(), long] {
        assert!(
            !is_complete(&format!("{HEADER}\n{first}{lost}\n{second}")),
            "{lost}"
        );
    }
}

/// A number whose last digits may be missing does not enter.
#[test]
fn a_last_row_without_a_line_break_is_left_out() {
    let read = |end: &str| {
        let text = format!("task,parent,joins_at,wait_instants,work_cycles\n1,0,0,[0],10{end}");
        let (table, report) = table(&text);
        let work: Vec<_> = (0..table.len())
            .map(|row| table.work_cycles.get(row))
            .collect();
        (work, table.is_cut, report.count("skipped_rows"))
    };
    let both = vec![Some(10), Some(37035)];
    for end in [
        "\n2,0,0,[0],37035\n",
        "\r\n2,0,0,[0],37035\r\n",
        "\n2,0,0,[0],37035\r",
        "\n2,0,0,[0],\"37035\"",
        "\n# made by hand\n2,0,0,[0],37035\n# made by hand\n",
        "\n2,0,0,[0],37035\n\n",
    ] {
        assert_eq!(read(end), (both.clone(), false, 0), "{end:?}");
    }
    for end in ["\n2,0,0,[0],37", "\n2,0,0,[0],", "\n2,0,0,[0]", "\n2"] {
        assert_eq!(read(end), (vec![Some(10)], true, 1), "{end:?}");
    }
    let (table, report) = table("task,parent,joins_at,tag\n1,0,0,a\n2,0,0,fi");
    assert_eq!((table.len(), table.is_cut), (1, true));
    let first = "line 3: no line break, so its last value may be cut";
    assert_eq!(
        findings(&report),
        format!("skipped_rows 1 ({first})\nread_tasks 1 (-)")
    );
    assert!(
        !reading("task,parent,joins_at,tag\n1,0,0,a\n2,0,0,fi").runs[0]
            .tables
            .summary
            .meta
            .is_complete
    );
}

#[test]
fn tables_without_structure_are_refused() {
    let refusal = |text: &str| {
        let mut reading = reading(text);
        assert!(reading.runs.is_empty());
        reading.refused.pop().unwrap().1
    };
    assert!(matches!(refusal(""), Error::NoBytes));
    assert!(matches!(
        refusal("task,parent\n1,0\n"),
        Error::Unrecognised { .. }
    ));
    assert!(matches!(
        refusal("task,parent,joins_at\n"),
        Error::Empty { .. }
    ));
    assert!(matches!(
        refusal("task,parent,joins_at\n1,NA,0\n"),
        Error::Empty { .. }
    ));
    assert_eq!(
        refusal("task,parent,joins_at\n1,0\n").to_string(),
        "cannot read mir file: no row can be used; the first has 2 fields instead of 3, at line 2"
    );
}

#[test]
fn names_are_kept_as_they_are() {
    let long = "x".repeat(100_000);
    for tag in ["</script>", "a\nb", "\u{202e}", "R-1", long.as_str()] {
        let text = format!("task,parent,joins_at,tag\n1,0,0,\"{tag}\"\n");
        let tables = tables(&text);
        let found = tables.summary.definitions.rows().any(|row| row.name == tag);
        assert!(found, "{tag:.20}");
    }
    let content = b"task,parent,joins_at,tag\n1,0,0,\xe9\n2,0,0,\xe8\n3,0,0,\xe9\n";
    let mut report = Report::default();
    let found = super::read::read(content.as_slice(), &mut report);
    let table = found.unwrap().table;
    let texts = [0, 1, 2].map(|row| table.text(table.tag(row)));
    assert_eq!(texts, [Some("\\xe9"), Some("\\xe8"), Some("\\xe9")]);
    assert_eq!(report.count("repaired_texts"), 2);
}

#[test]
fn a_million_deep_or_wide_is_read() {
    const TASKS: i64 = 1_000_000;
    for parent in [|task: i64| task - 1, |task: i64| i64::from(task > 1)] {
        let mut text = format!("{HEADER},cpu_id\n");
        for task in (1..=TASKS).rev() {
            use std::fmt::Write as _;
            writeln!(text, "{task},{},0,{task},2,1,{task}", parent(task)).unwrap();
        }
        let (table, report) = table(&text);
        assert_eq!(report.findings.len(), 1, "{}", findings(&report));
        assert_eq!(table.len(), 1_000_000);
        let roots = (0..table.len()).filter(|&row| table.parent_row(row).is_none());
        assert_eq!(roots.count(), 1);
    }
}
