//! Outputs of gprof that are small, odd or hostile.

use std::fmt::Write as _;
use std::time::Instant;

use super::*;
use crate::testing::{findings_of, read_with, values_of};

fn read_text(text: &[u8]) -> Result<Read, Error> {
    read_with(read_gprof, "run.gprof.txt", text)
}

/// Values, then findings.
fn dump(text: &str) -> String {
    let (tables, report) = read_text(text.as_bytes()).unwrap();
    format!("{}\n{}", values_of(&tables), findings_of(&report))
}

const FLAT: &str = "\
  %   cumulative   self              self     total           
 time   seconds   seconds    calls  us/call  us/call  name    
";

const GRAPH: &str = "index % time    self  children    called     name\n";

#[test]
fn call_columns_may_be_missing_and_names_hold_blanks() {
    let text = format!(
        "{FLAT} 50.00      0.01     0.01        4  2500.00  5000.00  operator new(unsigned long)
 50.00      0.02     0.01                             12 monkeys (int)\n"
    );
    assert_eq!(
        dump(&text),
        "12 monkeys (int) self_s 0.01
operator new(unsigned long) calls 4
operator new(unsigned long) self_per_call_s 0.0025
operator new(unsigned long) self_s 0.01
operator new(unsigned long) total_per_call_s 0.005
read_functions 2"
    );
}

#[test]
fn recursion_and_cycles_are_arcs_without_times() {
    let text = format!(
        "{GRAPH}[1]    100.0    0.03    0.04       1+12      <cycle 1 as a whole> [1]
                0.03    0.04       7             ping <cycle 1> [3]
                0.00    0.00       6+2           pong <cycle 1> [5]
-----------------------------------------------
                                   6             pong <cycle 1> [5]
                0.03    0.04       1/1           main [4]
[3]    100.0    0.03    0.04       7         ping <cycle 1> [3]
                                   6             pong <cycle 1> [5]
-----------------------------------------------
                                   2             pong <cycle 1> [5]
                                   6             ping <cycle 1> [3]
[5]      0.0    0.00    0.00       6+2       pong <cycle 1> [5]
                                   2             pong <cycle 1> [5]
                                   6             ping <cycle 1> [3]
-----------------------------------------------
"
    );
    assert_eq!(
        dump(&text),
        "<cycle 1 as a whole> cycle_calls 1
<cycle 1 as a whole> cycle_internal_calls 12
<cycle 1 as a whole> cycle_total_s 0.07
main/ping arc_calls 1
main/ping arc_children_s 0.04
main/ping arc_self_s 0.03
ping calls 7
ping self_s 0.03
ping total_s 0.07
ping/pong arc_calls 6
pong calls 6
pong recursive_calls 2
pong self_s 0
pong total_s 0
pong/ping arc_calls 6
pong/pong arc_calls 2
read_functions 2
read_arcs 4"
    );
}

#[test]
fn functions_of_one_name_add_up_and_lines_are_not_names() {
    let text = format!(
        "{GRAPH}[1]     50.0    0.01    0.00       2         init [1]
-----------------------------------------------
[12345 50.0    0.02    0.00       3         init (a.c:7 @ 4005d0) [123456]
-----------------------------------------------
"
    );
    assert_eq!(
        dump(&text),
        "init calls 5\ninit self_s 0.03\ninit total_s 0.03\nread_functions 2"
    );
}

#[test]
fn what_does_not_fit_is_skipped_and_counted() {
    let text = format!(
        "{FLAT}  nan      0.01     inf  x\n 1 2 3\n 50.00      0.01     0.01        99999999999999999999     1.00     1.00  f\n 50.00      0.01     0.01        1     1.00     1.00  g\n\n{FLAT}{GRAPH}nonsense\n[1]     50.0    0.01    0.00       2         g [1]\n                0.01    0.00       1/2"
    );
    assert_eq!(
        dump(&text),
        "g calls 1
g self_per_call_s 0.000001
g self_s 0.01
g total_per_call_s 0.000001
g total_s 0.01
skipped_lines 4
skipped_further_tables 1
skipped_cut_lines 1
repaired_unfinished_entries 1
read_functions 1"
    );
}

#[test]
fn tables_without_rows_are_refused() {
    for text in [FLAT, GRAPH, "", "\n\n"] {
        assert!(
            matches!(read_text(text.as_bytes()), Err(Error::Empty { .. })),
            "{text}"
        );
    }
}

#[test]
fn hostile_names_are_names() {
    let mut text = format!(
        "{FLAT} 1.00 0.01 0.01{}</script>\"'\u{202e} <b> ",
        " ".repeat(29)
    )
    .into_bytes();
    text.extend_from_slice(b"\xff\xfe\n");
    text.extend_from_slice(
        format!(" 1.00 0.01 0.01{}{}\n", " ".repeat(29), "x".repeat(1 << 20)).as_bytes(),
    );
    let (tables, report) = read_text(&text).unwrap();
    assert_eq!(report.count("repaired_texts"), 1);
    let names: Vec<String> = tables
        .summary
        .definitions
        .rows()
        .map(|row| row.name)
        .collect();
    assert!(
        names.contains(&"</script>\"'\u{202e} <b> \\xff\\xfe".to_owned()),
        "{:?}",
        names[0]
    );
}

/// An output as gprof prints it, with legends, in either layout.
fn with_legends(is_traditional: bool) -> String {
    let licence = "\u{c}\nCopyright (C) 2012-2023 Free Software Foundation, Inc.\n\nCopying and distribution of this \
                   file is permitted\nprovided the notice and this notice are preserved.\n";
    let flat = format!("{FLAT}100.00      0.01     0.01        4  2500.00  2500.00  leaf\n\n");
    let flat_legend = " %         the percentage of the total running time of the\ntime       program used by this \
                       function.\n\ncumulative a running sum\n";
    let graph = format!("{GRAPH}[1]    100.0    0.01    0.00       4         leaf [1]\n-----\n\n");
    let graph_legend =
        " This table describes the call tree of the program, and was sorted by\n the total time.\n";
    let index = "\u{c}\nIndex by function name\n\n   [1] leaf\n";
    if is_traditional {
        let legend = "          The sum of self and descendents is the major sort\n\n%time     the percentage of the \
                      total time of the program\n";
        return format!(
            "call graph profile:\n{legend}{licence}\n{graph}\u{c}\n\n\nflat profile:\n\n{flat_legend}{licence}\n{flat}{index}"
        );
    }
    format!(
        "Flat profile:\n\n{flat}{flat_legend}{licence}\u{c}\n\t\t     Call graph (explanation follows)\n\n\n\
         {graph}{graph_legend}{licence}{index}"
    )
}

/// An output that ends within a legend, or before a table that its title announces, is cut.
#[test]
fn an_output_that_is_cut_around_its_tables_is_incomplete() {
    let is_complete = |text: &str| {
        read_text(text.as_bytes())
            .unwrap()
            .0
            .summary
            .meta
            .is_complete
    };
    for is_traditional in [false, true] {
        let text = with_legends(is_traditional);
        assert!(is_complete(&text), "{text}");
        let (begin, end) = if is_traditional {
            (text.find(" profile:\n\n %"), text.find(FLAT))
        } else {
            (text.find("he percentage of the"), text.find(GRAPH))
        };
        for len in begin.unwrap()..end.unwrap() {
            let cut = &text[..len];
            // As `gprof -p` ends, and as it ended before there was a licence.
            let ends = ["preserved.", "preserved.\n", "sum\n\u{c}", "sum\n\u{c}\n"];
            let is_end = !is_traditional && ends.iter().any(|end| cut.ends_with(end));
            assert_eq!(is_complete(cut), is_end, "{cut}");
        }
    }
    let text = with_legends(false);
    let cut = &text[..text.find(" the total time.").unwrap() + 5];
    let (tables, report) = read_text(cut.as_bytes()).unwrap();
    assert!(!tables.summary.meta.is_complete);
    assert_eq!(report.count("repaired_cut_legends"), 1);
}

#[test]
fn time_is_linear() {
    let start = Instant::now();
    let mut text = GRAPH.to_owned();
    for function in 0..20_000 {
        writeln!(text, "                0.01    0.00       1/1           f{} [{}]\n[{function}]     1.0    0.01    0.00       1         f{function} [{function}]\n-----", function + 1, function + 1).unwrap();
    }
    // One block of many callers.
    for function in 0..200_000 {
        writeln!(
            text,
            "                0.01    0.00       1/1           g{function} [{function}]"
        )
        .unwrap();
    }
    text.push_str("[1] 1.0 0.01 0.00 1 all [300000]\n-----\n");
    let (tables, _) = read_text(text.as_bytes()).unwrap();
    assert!(tables.summary.contexts.len() > 400_000);
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
}
