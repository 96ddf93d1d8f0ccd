//! Sankeys of small ensembles, computed by hand.

use sheaf_model::{Lens, Progress};

use super::sankey;
use crate::layout::LayoutOptions;
use sheaf_answers::{EdgeKind, Sankey};
use sheaf_synthetic::testing::{by_run, runs, short};

/// A line per node, level by level, a line per edge, then the notes.
fn check(text: &str, lens: &str, expected: &str) {
    assert_eq!(
        answer(text, lens),
        expected
            .trim()
            .lines()
            .map(str::trim)
            .collect::<Vec<_>>()
            .join("\n")
    );
}

fn answer(text: &str, lens: &str) -> String {
    let lens: Lens = lens.parse().unwrap();
    match sankey(
        &lens,
        &runs(text),
        &LayoutOptions::default(),
        &Progress::silent(),
    ) {
        Ok(answer) => print(&answer),
        Err(error) => error.to_string(),
    }
}

fn print(answer: &Sankey) -> String {
    let mut lines = Vec::new();
    let mut nodes: Vec<_> = answer.nodes.iter().collect();
    nodes.sort_by_key(|node| (node.level, &node.name));
    for node in nodes {
        let recursive = if node.is_recursive { " recursive" } else { "" };
        let entries: Vec<String> = node
            .entry_functions
            .iter()
            .map(|entry| format!("{} {}", entry.name, short(entry.max_inclusive)))
            .collect();
        lines.push(format!(
            "{} {}: [{}] [{}] by {}{recursive}",
            node.level,
            node.name,
            by_run(&node.inclusive_by_run),
            by_run(&node.exclusive_by_run),
            entries.join(", "),
        ));
    }
    let mut edges: Vec<String> = Vec::new();
    for edge in &answer.edges {
        let name = |node: u32| answer.nodes[node as usize].name.as_str();
        let arrow = if edge.kind == EdgeKind::Forward {
            "->"
        } else {
            "~>"
        };
        edges.push(format!(
            "{} {arrow} {}: [{}]",
            name(edge.source),
            name(edge.target),
            by_run(&edge.inclusive_by_run)
        ));
    }
    edges.sort();
    lines.extend(edges);
    lines.extend(answer.notes.iter().map(|note| format!("({note})")));
    lines.join("\n")
}

const TWO_RUNS: &str = "
    run a
      main work_ns 10@0 20@1
      main/f work_ns 30@0 10@1
      main/f/g work_ns 4@0
    run b
      main work_ns 8@0
      main/h work_ns 2@0
";

#[test]
fn values_are_means_over_all_ranks() {
    check(
        TWO_RUNS,
        "below 0",
        "
        0 main: [37 10] [15 8] by main 37
        1 f: [22 -] [20 -] by f 22
        1 h: [- 2] [- 2] by h 2
        2 g: [2 -] [2 -] by g 2
        f -> g: [2 -]
        main -> f: [22 -]
        main -> h: [- 2]
    ",
    );
}

#[test]
fn locations_aggregate_as_the_lens_says() {
    check(
        TWO_RUNS,
        "below 0 | over ranks=max",
        "
        0 main: [44 10] [20 8] by main 44
        1 f: [34 -] [30 -] by f 34
        1 h: [- 2] [- 2] by h 2
        2 g: [4 -] [4 -] by g 4
        f -> g: [4 -]
        main -> f: [34 -]
        main -> h: [- 2]
    ",
    );
    let median = answer(TWO_RUNS, "below 0 | over ranks=median");
    assert!(median.starts_with("0 main: [37 10] [15 8]"), "{median}");
    let sum = answer(TWO_RUNS, "below 0 | over ranks=sum");
    assert!(sum.starts_with("0 main: [74 10] [30 8]"), "{sum}");
}

#[test]
fn recursion_counts_once() {
    check(
        "
        run a
          f work_ns 1
          f/f work_ns 2
          f/f/g work_ns 4
          f/f/g/f work_ns 8
          f/f/g/f/g work_ns 16
    ",
        "below 0",
        "
        0 f: [31] [11] by f 31 recursive
        1 g: [28] [20] by g 28
        f -> g: [28]
        g ~> f: [24]
        (distributions need two runs)
        (some groups call each other; calls back to a caller are drawn as arcs)
    ",
    );
}

#[test]
fn small_groups_are_collected_by_level() {
    check(
        "
        run a
          main work_ns 1000
          main/x work_ns 3
          main/y work_ns 4
          main/y/z work_ns 2
          main/big work_ns 500
          main/big/y work_ns 1
        run b
          main work_ns 1000
          main/x work_ns 5
          main/big work_ns 400
    ",
        "",
        "
        0 main: [1510 1405] [1000 1000] by main 1510
        1 big: [501 400] [500 400] by big 501
        1 others (1): [3 5] [3 5] by x 5
        2 others (1): [7 -] [5 -] by y 7
        3 others (1): [2 -] [2 -] by z 2
        big -> others (1): [1 -]
        main -> big: [501 400]
        main -> others (1): [3 5]
        main -> others (1): [6 -]
        others (1) -> others (1): [2 -]
    ",
    );
}

const MODULES: &str = "
    def main module=app file=main.c
    def solve module=app file=solve.c line=9
    def send module=mpi file=send.c
    def wait module=mpi file=wait.c
    def callback module=app file=main.c
    run a
      main work_ns 1
      main/solve work_ns 10
      main/solve/send work_ns 100
      main/solve/send/memcpy work_ns 1000
      main/wait work_ns 10000
      main/wait/callback work_ns 100000
";

#[test]
fn modules_entered_again_are_apart() {
    check(
        MODULES,
        "level module | below 0",
        "
        0 app: [111111] [11] by main 111111
        1 mpi: [111100] [11100] by wait 110000, send 1100
        2 app: callback: [100000] [100000] by callback 100000
        app -> mpi: [111100]
        mpi -> app: callback: [100000]
        (distributions need two runs)
    ",
    );
}

#[test]
fn entries_split_off_a_module() {
    check(
        MODULES,
        "level module | below 0 | split mpi entries",
        "
        0 app: [111111] [11] by main 111111
        1 send: [1100] [100] by send 1100
        1 wait: [110000] [10000] by wait 110000
        2 app: callback: [100000] [100000] by callback 100000
        2 mpi: [1000] [1000] by memcpy 1000
        app -> send: [1100]
        app -> wait: [110000]
        send -> mpi: [1000]
        wait -> app: callback: [100000]
        (distributions need two runs)
    ",
    );
}

#[test]
fn callees_split_a_module_up() {
    let split = answer(MODULES, "level module | below 0 | split mpi callees");
    assert!(split.contains("2 memcpy: [1000] [1000]"), "{split}");
    let split = answer(MODULES, "below 0 | split send callees");
    assert!(
        split.contains("(`send` is not a module, so there is nothing to split)"),
        "{split}"
    );
}

#[test]
fn reveal_takes_one_context_out() {
    check(
        MODULES,
        "level module | below 0 | reveal main/solve",
        "
        0 app: [111111] [1] by main 111111
        1 solve: [1110] [10] by solve 1110
        2 mpi: [111100] [11100] by wait 110000, send 1100
        3 app: callback: [100000] [100000] by callback 100000
        app -> mpi: [110000]
        app -> solve: [1110]
        mpi -> app: callback: [100000]
        solve -> mpi: [1100]
        (distributions need two runs)
    ",
    );
}

#[test]
fn hidden_groups_count_for_their_callers() {
    check(
        MODULES,
        "below 0 | hide send | hide callback",
        "
        0 main: [111111] [1] by main 111111
        1 solve: [1110] [110] by solve 1110
        1 wait: [110000] [110000] by wait 110000
        2 memcpy: [1000] [1000] by memcpy 1000
        main -> solve: [1110]
        main -> wait: [110000]
        solve -> memcpy: [1000]
        (distributions need two runs)
    ",
    );
}

#[test]
fn focus_keeps_paths_and_values() {
    check(
        MODULES,
        "below 0 | focus send",
        "
        0 main: [111111] [1] by main 111111
        1 solve: [1110] [10] by solve 1110
        2 send: [1100] [100] by send 1100
        3 memcpy: [1000] [1000] by memcpy 1000
        main -> solve: [1110]
        send -> memcpy: [1000]
        solve -> send: [1100]
        (distributions need two runs)
    ",
    );
}

#[test]
fn files_and_name_prefixes_stand_in_for_modules() {
    let files = MODULES.replace("module=mpi", "module=app");
    let files = answer(&files, "level module | below 0");
    assert!(
        files.contains("(every definition is in module `app`, so groups are source files)"),
        "{files}"
    );
    assert!(files.contains("2 send.c: [1100] [1100]"), "{files}");
    let prefixes = answer(
        "run a\n main work_ns 1\n main/MPI_Send work_ns 2\n main/MPI_Recv work_ns 3",
        "level module",
    );
    assert!(
        prefixes.contains("1 MPI: [5] [5] by MPI_Recv 3, MPI_Send 2"),
        "{prefixes}"
    );
    assert!(
        prefixes.contains("(no definition has a file, so groups are beginnings of names)"),
        "{prefixes}"
    );
}

#[test]
fn inclusive_metrics_are_taken_as_given() {
    check(
        "
        metric time s inclusive float
        run a ~source=Time
          main time 10.3
          main/f time 4.1
          main/f/g time 4.1
          main/between/h time 2
    ",
        "metric Time | below 0",
        "
        0 main: [10.3] [4.2] by main 10.3
        1 between: [2] [-] by between 2
        1 f: [4.1] [0] by f 4.1
        2 g: [4.1] [4.1] by g 4.1
        2 h: [2] [2] by h 2
        between -> h: [2]
        f -> g: [4.1]
        main -> between: [2]
        main -> f: [4.1]
        (distributions need two runs)
    ",
    );
}

#[test]
fn metrics_are_found_by_the_label_of_the_source() {
    check(
        "
        metric avg_time s inclusive float
        run a ~source=avg#time ~alias=Time/rank
          main avg_time 2
    ",
        "metric Time/rank | below 0",
        "
        0 main: [2] [2] by main 2
        (distributions need two runs)
    ",
    );
}

#[test]
fn sums_past_63_bits_are_exact() {
    // 2^62 twice in each of two contexts.
    let text = "
        run a
          main work_ns 4611686018427387904@0 4611686018427387000@1
          main/f work_ns 4611686018427387904@0 4611686018427387000@1
    ";
    let sum = answer(text, "below 0 | over ranks=sum");
    assert!(
        sum.starts_with("0 main: [18446744073709550000] [9223372036854775000]"),
        "{sum}"
    );
    let max = answer(text, "below 0 | over ranks=max");
    assert!(
        max.starts_with("0 main: [9223372036854776000] [4611686018427388000]"),
        "{max}"
    );
}

#[test]
fn ticks_and_nanoseconds_do_not_mix() {
    let mixed = "
        metric work_ticks ticks
        run a
          main work_ns 10
        run b
          main work_ticks 10
        run c
          main other 10
    ";
    check(
        mixed,
        "",
        "
        0 main: [10 - -] [10 - -] by main 10
        (`work_ns` counts as not measured in 1 run: measured in ticks of unknown length)
        (`work_ns` was not measured in 1 run)
    ",
    );
    check(
        "metric work_ticks ticks\nrun b\n main work_ticks 10",
        "",
        "
        0 main: [10] [10] by main 10
        (`work_ns` is shown as `work_ticks`: the clock rate of the runs is not known)
        (distributions need two runs)
    ",
    );
}

#[test]
fn wrong_questions_say_what_there_is() {
    check(
        TWO_RUNS,
        "metric work",
        "metric `work` is in none of the runs; did you mean `work_ns`?; known are `work_ns`",
    );
    check(
        TWO_RUNS,
        "focus mian",
        "group `mian` is not in the ensemble at this level; did you mean `main`?",
    );
    check(TWO_RUNS, "reveal x", "context `x` is not in the ensemble");
    check(
        "metric ipc ratio intensive float\nrun a\n main ipc 1.5",
        "metric ipc",
        "metric `ipc` does not add up over contexts, so it cannot be divided among them; choose an additive one",
    );
    check(
        "",
        "",
        "the ensemble has no runs; relax the `where` clause or import runs",
    );
    let twice = "run a\n m/f work_ns 1\n m/g/f work_ns 1";
    assert!(answer(twice, "reveal f").starts_with("`f` is the name of several; use an id: `"));
}

#[test]
fn runs_without_anything_in_common_are_noticed() {
    let text =
        "run a\n main work_ns 1\n main/f work_ns 99\nrun b\n main work_ns 1\n main/g work_ns 3";
    let answer = answer(text, "");
    assert!(
        answer.contains("(the runs have only 13 % of their weight in common contexts"),
        "{answer}"
    );
}

#[test]
fn geometry_and_histograms_come_along() {
    let answer = sankey(
        &"below 0 | bins 4".parse().unwrap(),
        &runs(TWO_RUNS),
        &LayoutOptions::default(),
        &Progress::silent(),
    )
    .unwrap();
    let main = &answer.nodes[0];
    assert_eq!(
        (main.name.as_str(), main.histogram.counts.as_slice()),
        ("main", [1, 0, 0, 1].as_slice())
    );
    assert!(main.geometry.height > 0.0);
    assert!(answer.edges.iter().all(|edge| !edge.band.is_empty()));
    assert_eq!((answer.levels, answer.max_bin_count), (3, 1));
    assert_eq!(answer.max_exclusive.to_bits(), 20.0_f64.to_bits());
    assert_eq!(
        answer
            .nodes
            .iter()
            .map(|node| node.count)
            .collect::<Vec<_>>(),
        [3, 2, 1, 1]
    );
}
