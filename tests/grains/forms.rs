//! Values of the papers' and the tool's forms of metrics, side by side.

use sheaf_grains::grain_graph::Structure;
use sheaf_grains::grain_metric::{Evaluation, by_name};

use crate::metrics::{FIB, FOR_LOOP};
use crate::{reference, run};

/// Least, median and greatest value of a metric, and how many there are.
fn range(evaluation: &Evaluation<'_>, id: &str) -> String {
    let column = match evaluation.evaluate(by_name(id).unwrap()) {
        Ok(column) => column,
        Err(absent) => return format!("{id}: {absent}"),
    };
    let mut values: Vec<f64> = column.values.iter().flatten().collect();
    values.sort_by(f64::total_cmp);
    let at = |at: usize| {
        values
            .get(at)
            .map_or("-".to_owned(), |value| format!("{value:.4}"))
    };
    let count = values.len();
    format!(
        "{id}: {count} values, {} {} {}",
        at(0),
        at(count / 2),
        at(count.wrapping_sub(1))
    )
}

fn check_ranges(profile: &str, ids: &[&str], expected: &[&str]) {
    let Some(folder) = reference("grain-graphs") else {
        return;
    };
    let tables = run(&folder.join(profile));
    let structure = Structure::of(&tables);
    let evaluation = Evaluation::of(&tables, &structure).with_cores_per_socket(4);
    let found: Vec<String> = ids.iter().map(|id| range(&evaluation, id)).collect();
    assert_eq!(found, expected, "{profile}");
}

#[test]
fn where_the_papers_forms_differ_from_the_tools_for_tasks() {
    let ids = [
        "parallel_benefit",
        "parallel_benefit_of_execution",
        "sibling_work_balance",
        "sibling_chain_balance",
        "mem_hier_util",
        "memory_hierarchy_utilisation",
        "sibling_scatter",
        "sibling_scatter_socket",
        "inst_par_logical_optimistic_median_min",
        "inst_par_logical_conservative_median_min",
        "inst_par_logical_instant_min",
        "inst_par_real_instant_min",
    ];
    check_ranges(
        FIB,
        &ids,
        &[
            "parallel_benefit: 8191 values, 0.0011 6.5523 12917.5083",
            "parallel_benefit_of_execution: 8191 values, 0.0059 75.2224 13923.3882",
            "sibling_work_balance: 8192 values, 1.0000 1.2316 1.9994",
            "sibling_chain_balance: 8192 values, 0.5000 0.6225 1.9303",
            "mem_hier_util: 8192 values, 0.0003 0.2574 0.8589",
            "memory_hierarchy_utilisation: 8192 values, 1.1642 3.8856 3250.1022",
            "sibling_scatter: 8190 values, 0.0000 0.0000 47.0000",
            "sibling_scatter_socket: 8190 values, 0.0000 0.0000 1.0000",
            "inst_par_logical_optimistic_median_min: 8192 values, 1.0000 923.0000 1789.0000",
            "inst_par_logical_conservative_median_min: 7809 values, 1.0000 1133.0000 1738.0000",
            "inst_par_logical_instant_min: 8192 values, 1.0000 900.0000 1736.0000",
            "inst_par_real_instant_min: the source holds ends of tasks only",
        ],
    );
}

#[test]
fn where_the_papers_forms_differ_from_the_tools_for_a_loop() {
    // Of 48 members 32 ran a chunk: the tool, which does not count idle workers, finds the loops
    // balanced. It has no scatter of members, which are on every core.
    let ids = [
        "parallel_benefit",
        "parallel_benefit_of_execution",
        "chunk_work_balance",
        "chunk_work_cpu_balance",
        "chunk_work_thread_balance",
        "chunk_chain_balance",
        "sibling_scatter",
        "inst_par_logical_optimistic_median_min",
    ];
    check_ranges(
        FOR_LOOP,
        &ids,
        &[
            "parallel_benefit: 384 values, 0.0000 26.4638 532488.3876",
            "parallel_benefit_of_execution: 384 values, 0.0000 559.2099 6013515.3610",
            "chunk_work_balance: 96 values, 1.0031 1.0037 1.0040",
            "chunk_work_cpu_balance: 96 values, 1.0031 1.0037 1.0040",
            "chunk_work_thread_balance: 96 values, 1.5046 1.5056 1.5060",
            "chunk_chain_balance: 96 values, 1.0036 1.0041 1.0045",
            "sibling_scatter: 144 values, 14.0000 14.0000 14.0000",
            "inst_par_logical_optimistic_median_min: 385 values, 1.0000 32.0000 63.0000",
        ],
    );
}
