//! Metrics of small runs written as text, and what must not change them.

mod invariance;

use std::fmt::Write as _;

use arrow::array::Float64Array;

use super::testing::{FIVE, run, written};
use super::{Evaluation, NodeDistances, by_name, metrics, work_deviation};
use crate::grain_graph::Structure;

/// Of each metric the values by grain, or why it is absent.
fn values(text: &str, ids: &[&str]) -> String {
    let run = run(text);
    let structure = Structure::of(&run);
    let evaluation = Evaluation::of(&run, &structure);
    lines(&evaluation, ids)
}

fn lines(evaluation: &Evaluation<'_>, ids: &[&str]) -> String {
    let mut text = String::new();
    for id in ids {
        let column = evaluation.evaluate(by_name(id).unwrap());
        let values = match column {
            Err(absent) => absent.to_string(),
            Ok(column) => {
                let values = column.values.iter().map(|value| match value {
                    None => "-".to_owned(),
                    Some(value) => format!("{}", (value * 1e4).round() / 1e4),
                });
                values.collect::<Vec<_>>().join(" ")
            }
        };
        writeln!(text, "{id}: {values}").unwrap();
    }
    text
}

#[track_caller]
fn check(text: &str, ids: &[&str], expected: &str) {
    let expected: Vec<&str> = expected.lines().map(str::trim).collect();
    let found = values(text, ids);
    assert_eq!(found.lines().collect::<Vec<_>>(), expected);
}

#[test]
fn five_tasks() {
    let is_real = |id: &&str| id.starts_with("inst_par_real");
    let all: Vec<&str> = metrics().map(|metric| metric.id).collect();
    let others: Vec<&str> = all.iter().copied().filter(|id| !is_real(id)).collect();
    check(
        FIVE,
        &others,
        "work_ns: 700 1500 600 900 100
         execution_ns: 1000 2000 600 900 100
         overhead_ns: 300 500 0 0 0
         creation_ns: 50 60 40 40 30
         synchronisation_ns: - 240 130 130 130
         parent_waiting_ns: the run has no times of waiting
         waiting_ns: the run has no times of waiting
         delay_ns: the run has no times of creation
         lifetime_ns: the run has no times of begin
         lock_waiting_share: the run has no times of begin
         parallel_benefit: - 5 3.5294 5.2941 0.625
         parallel_benefit_of_execution: - 6.6667 3.5294 5.2941 0.625
         creation_estimate_ns: the run has no times of creation
         parallel_benefit_of_creation: the run has no times of creation
         sibling_work_balance: 1 1 1.2 1.2 1
         sibling_chain_balance: 1 1 1.2 1.2 1
         chunk_work_balance: the run has no chunks of loops
         chunk_work_cpu_balance: the run has no chunks of loops
         chunk_work_thread_balance: the run has no chunks of loops
         chunk_chain_balance: the run has no chunks of loops
         work_deviation: there is no run to compare with
         inst_par_logical_optimistic_shortest_min: 1 1 3 2 2
         inst_par_logical_optimistic_shortest_median: 3 2 4 3 2.5
         inst_par_logical_optimistic_shortest_max: 5 5 5 5 3
         inst_par_logical_conservative_shortest_min: 1 1 2 1 -
         inst_par_logical_conservative_shortest_median: 2 2 4 2 -
         inst_par_logical_conservative_shortest_max: 4 4 4 4 -
         inst_par_logical_optimistic_gap_min: 1 1 3 2 2
         inst_par_logical_optimistic_gap_median: 3 2 4 3 2.5
         inst_par_logical_optimistic_gap_max: 5 5 5 5 3
         inst_par_logical_conservative_gap_min: 1 1 2 1 -
         inst_par_logical_conservative_gap_median: 2.5 2 4 2.5 -
         inst_par_logical_conservative_gap_max: 4 4 4 4 -
         inst_par_logical_optimistic_median_min: 1 1 4 2 2
         inst_par_logical_optimistic_median_median: 3.5 3 4 4 2.5
         inst_par_logical_optimistic_median_max: 5 5 5 5 3
         inst_par_logical_conservative_median_min: 1 1 2 2 -
         inst_par_logical_conservative_median_median: 2 2 3 2 -
         inst_par_logical_conservative_median_max: 4 4 4 4 -
         inst_par_logical_instant_min: 1 1 3 1 2
         inst_par_logical_instant_median: 3 2 4 2 2
         inst_par_logical_instant_max: 4 4 4 4 2
         sibling_scatter: - - 1 1 -
         sibling_scatter_socket: it is not known how many cores share a socket
         sibling_scatter_numa: the run has no NUMA nodes
         mem_hier_util: the run has no measure `PAPI_RES_STL_sum` or `PAPI_RES_STL` or `stalled_cycles_backend`
         memory_hierarchy_utilisation: the run has no measure `PAPI_RES_STL_sum` or `PAPI_RES_STL` or `stalled_cycles_backend`
         compute_int: the run has no measure `ins_count`
         mem_fp_bytes: the run has no measure `mem_fp`",
    );
    for id in all.iter().copied().filter(is_real) {
        check(FIVE, &[id], &format!("{id}: the run has no times of begin"));
    }
}

/// The creator goes on 30 after the first creation, 20 after the second, at once into a wait after the
/// third; nothing is known of the fourth, which none of its fragments holds.
#[test]
fn creations_cost_what_their_creator_takes_to_go_on() {
    check(
        "
        initial - def=main run=0+100 run=100+30 run=130+20 run=150+50 run=300+10
        task 0 def=leaf created=100 run=400+60
        task 0 def=leaf created=130 run=500+10
        task 0 def=other created=200 run=600+5
        task 0 def=other created=250 run=700+5
        task 0 def=leaf created=300 run=800+0
        ",
        &["creation_estimate_ns", "parallel_benefit_of_creation"],
        "creation_estimate_ns: - 10 10 - - 10
         parallel_benefit_of_creation: - 6 1 - - 0",
    );
}

#[test]
fn ids_are_unique_and_said_in_full() {
    let all: Vec<&super::GrainMetric> = metrics().collect();
    assert_eq!(all.len(), 70);
    for (at, metric) in all.iter().enumerate() {
        let id = metric.id;
        assert!(all[..at].iter().all(|other| other.id != id), "{id}");
        assert!(
            id.chars().all(|c| c.is_ascii_lowercase() || c == '_'),
            "{id}"
        );
        assert!(metric.definition.ends_with('.'), "{id}");
        assert!(!metric.citation.is_empty(), "{id}");
        assert_eq!(by_name(id).unwrap().id, id);
        let is_time = metric.unit == sheaf_model::Unit::Nanoseconds;
        assert_eq!(id.ends_with("_ns"), is_time, "{id}");
    }
    let named = [
        "work_ticks",
        "inst_par",
        "inst_par_max",
        "mem_fp",
        "exec_cycles",
    ];
    let ids = named.map(|name| by_name(name).unwrap().id);
    let expected = [
        "work_ns",
        "inst_par_logical_optimistic_median_min",
        "inst_par_logical_optimistic_median_max",
        "mem_fp_bytes",
        "execution_ns",
    ];
    assert_eq!(ids, expected);
}

const LOOP: &str = "
    core 0 1 2 3
    initial - run=0+10 run=100+5
    member 0 sequence=0 index=0 on=0 created=10 start=10 end=90 run=10+2 run=30+3 run=53+1 run=74+6
    member 0 sequence=0 index=1 on=1 created=10 start=10 end=90 run=10+5 run=55+2
    member 0 sequence=0 index=2 on=2 created=10 start=10 end=90 run=10+5
    chunk 1 sequence=0 index=0 on=0 start=12 end=30 work=18 run=12+18
    chunk 1 sequence=0 index=1 on=0 start=33 end=53 work=20 run=33+20
    chunk 1 sequence=0 index=2 on=0 start=54 end=74 work=20 run=54+20
    chunk 2 sequence=0 index=0 on=1 start=15 end=55 work=40 run=15+40
";

#[test]
fn chunks_of_a_loop() {
    // 58 and 40 of work on two of three members. Book-keeping between the chunks of the first is 3
    // and 1.
    let ids = [
        "chunk_work_balance",
        "chunk_work_cpu_balance",
        "chunk_work_thread_balance",
        "chunk_chain_balance",
        "parallel_benefit",
        "parallel_benefit_of_execution",
        "sibling_scatter",
        "inst_par_real_instant_min",
        "inst_par_real_instant_median",
        "inst_par_real_instant_max",
        "inst_par_logical_instant_min",
        "inst_par_logical_instant_median",
        "inst_par_logical_instant_max",
    ];
    check(
        LOOP,
        &ids,
        "chunk_work_balance: - - - - 1.6327 1.6327 1.6327 1.6327
         chunk_work_cpu_balance: - - - - 1.1837 1.1837 1.1837 1.1837
         chunk_work_thread_balance: - - - - 1.7755 1.7755 1.7755 1.7755
         chunk_chain_balance: - - - - 0.8163 0.8163 0.8163 0.8163
         parallel_benefit: the run has no costs of creation
         parallel_benefit_of_execution: - - - - 9 10 10 -
         sibling_scatter: - - - - - - - -
         inst_par_real_instant_min: 1 1 2 3 2 2 1 2
         inst_par_real_instant_median: 1 1.5 3 3 2 2 1 2
         inst_par_real_instant_max: 1 3 3 3 3 2 2 2
         inst_par_logical_instant_min: 1 1 2 3 2 2 1 2
         inst_par_logical_instant_median: 1 1.5 3 3 2 2 1 2
         inst_par_logical_instant_max: 1 3 3 3 3 2 2 2",
    );
}

#[test]
fn chains_are_what_a_worker_runs_in_a_row() {
    // Worker 0 runs 1, 2 and, after a grain of another set, 4: chains of 30 + 10, 20 and, on
    // worker 1, 25.
    let text = "
        task - joined=0 index=0 on=0 work=5 start=0 end=100
        task 0 joined=0 index=0 on=0 work=30 start=10 end=40
        task 0 joined=0 index=1 on=0 work=10 start=40 end=50
        task 0 joined=0 index=2 on=1 work=25 start=10 end=35
        task 0 joined=0 index=3 on=0 work=20 start=60 end=80
        task 3 joined=0 index=0 on=0 work=1 start=55 end=56
    ";
    check(
        text,
        &["sibling_chain_balance", "sibling_work_balance"],
        "sibling_chain_balance: 1 1.2 1.2 1.2 1.2 1
         sibling_work_balance: 1 1.4118 1.4118 1.4118 1.4118 1",
    );
}

#[test]
fn scatter_by_core_socket_and_node() {
    let text = "
        core 0 1 6 7
        node 0 0 1 2
        task - joined=0 index=0 on=0
        task 0 joined=0 index=0 on=0
        task 0 joined=0 index=1 on=1
        task 0 joined=0 index=2 on=2
        task 0 joined=1 index=3 on=2
        task 0 joined=1 index=4 on=3
    ";
    let ids = [
        "sibling_scatter",
        "sibling_scatter_socket",
        "sibling_scatter_numa",
    ];
    let run = run(text);
    let structure = Structure::of(&run);
    let evaluation = Evaluation::of(&run, &structure);
    assert_eq!(
        lines(&evaluation, &ids),
        "sibling_scatter: - 5 5 5 1 1\n\
         sibling_scatter_socket: it is not known how many cores share a socket\n\
         sibling_scatter_numa: - 1 1 1 1 1\n"
    );
    let table = NodeDistances::new(&[vec![10, 16, 22], vec![16, 10, 16], vec![22, 16, 10]]);
    let evaluation = Evaluation::of(&run, &structure)
        .with_cores_per_socket(4)
        .with_distances(table.unwrap());
    assert_eq!(
        lines(&evaluation, &ids[1..]),
        "sibling_scatter_socket: - 1 1 1 0 0\n\
         sibling_scatter_numa: - 16 16 16 16 16\n"
    );
}

#[test]
fn deviation_matches_what_is_the_same_and_reports_the_rest() {
    let ours = run("
        task - key=7 work=100
        task 0 key=8 work=50
        task 0 key=9 work=60
        task 0 key=10 work=70
        task 0 key=11 flags=256 work=80
        task 0 key=12 work=9
        task 0 key=12 work=9
    ");
    let one = run("
        task - key=7 work=50
        task 0 key=8 work=0
        task 0 key=9 work=20
        task 0 key=11 work=80
        task 0 key=12 work=1
        task 0 key=13 work=33
    ");
    let other = run("
        task - key=7 work=200
        task 0 key=9 work=40
    ");
    let deviation = work_deviation(&ours, &[&one]);
    // A reference of 0 has no ratio; 10 is new, 11 depends on the schedule, 12 is there twice.
    let expected = [Some(2.0), None, Some(3.0), None, None, None, None];
    assert_eq!(deviation.values, Float64Array::from_iter(expected));
    assert_eq!(
        (deviation.unmatched.grains, deviation.unmatched.work),
        (4, 168)
    );
    let missing: Vec<_> = deviation
        .missing
        .iter()
        .map(|one| (one.grains, one.work))
        .collect();
    assert_eq!(missing, [(3, 114)]);
    let deviation = work_deviation(&ours, &[&one, &other]);
    assert_eq!(
        deviation.values.slice(0, 3),
        Float64Array::from_iter([Some(0.8), None, Some(2.0)])
    );
    assert_eq!(work_deviation(&ours, &[]).unmatched.grains, 7);
    let mut timed = one.clone();
    timed.summary.meta_mut().time_unit = sheaf_model::TimeUnit::Nanoseconds;
    let structure = Structure::of(&ours);
    let evaluation = Evaluation::of(&ours, &structure).with_references(&[&one, &timed]);
    assert_eq!(
        lines(&evaluation, &["work_deviation"]),
        "work_deviation: a run to compare with counts time in another unit\n"
    );
}

#[test]
fn delay_counts_from_the_last_dependence() {
    let mut run = run("
        task - created=0 start=5 end=9
        task 0 created=10 start=12 end=40
        task 0 created=11 start=45 end=50
    ");
    let dependence = sheaf_model::table::DependenceRow {
        predecessor: 1,
        successor: 2,
    };
    run.dependences = std::iter::once(dependence).collect();
    let structure = Structure::of(&run);
    let evaluation = Evaluation::of(&run, &structure);
    let ids = ["delay_ns", "lifetime_ns"];
    assert_eq!(
        lines(&evaluation, &ids),
        "delay_ns: 5 2 5\nlifetime_ns: 4 28 5\n"
    );
}

#[test]
fn what_is_not_measured_is_absent_with_the_reason() {
    let mut bare = written("task - work=5").tables();
    let reason = "the source holds ends of tasks only".to_owned();
    bare.summary
        .meta_mut()
        .lacks
        .insert("start".to_owned(), reason);
    let structure = Structure::of(&bare);
    let evaluation = Evaluation::of(&bare, &structure);
    let ids = [
        "parallel_benefit",
        "mem_hier_util",
        "work_deviation",
        "delay_ns",
        "inst_par",
        "inst_par_real_instant_min",
        "chunk_work_balance",
        "sibling_scatter",
    ];
    assert_eq!(
        lines(&evaluation, &ids),
        "parallel_benefit: the run has no costs of creation\n\
         mem_hier_util: the run has no measure `PAPI_RES_STL_sum` or `PAPI_RES_STL` or `stalled_cycles_backend`\n\
         work_deviation: there is no run to compare with\n\
         delay_ns: the run has no times of creation\n\
         inst_par: the source says neither when fragments ran nor where executions were cut\n\
         inst_par_real_instant_min: the source holds ends of tasks only\n\
         chunk_work_balance: the run has no chunks of loops\n\
         sibling_scatter: the run has no workers of grains\n"
    );
}
