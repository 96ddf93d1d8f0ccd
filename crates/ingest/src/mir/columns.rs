//! What the columns of task-stats tables and the attributes of grain graphs are, by their names.

use sheaf_model::{Direction, MetricKind, Unit};

use super::column::{Floats, Integers, Numbers};
use crate::measure::{MetricSpec, snake_case};

/// Columns that describe the drawing or repeat the structure, which other columns state.
const IGNORED: &[&str] = &[
    "parent_ind",
    "width",
    "height",
    "id",
    "num_children",
    "leaf",
    "last_to_finish",
    "lineage",
    "chunk_lineage",
    "parent_tag",
];

/// Whether a column states nothing about the program.
pub(crate) fn is_ignored(name: &str) -> bool {
    IGNORED.contains(&name)
}

/// Integer columns beyond those that their names' ends give away.
const INTEGERS: &[&str] = &[
    "task",
    "queue_size",
    "num_siblings",
    "num_children",
    "work_cycles_left",
    "work_cycles_right",
    "chunk_work_cpu",
    "idle_join",
    "parent_joins_at",
    "root_dist",
    "depth",
    "problematic",
    "on_crit_path",
    "mem_fp",
];

/// An empty column of the sort that a name promises, so that runs agree on it whatever values
/// they happen to have.
pub(crate) fn empty(name: &str) -> Numbers {
    let is_integer = INTEGERS.contains(&name)
        || ["_cycles", "_instant", "_sum", "_count"]
            .iter()
            .any(|end| name.ends_with(end));
    if is_integer {
        Numbers::Integers(Integers::default())
    } else {
        Numbers::Floats(Floats::default())
    }
}

/// The metric that a column becomes.
pub(crate) fn spec(source: &str, is_integer: bool) -> MetricSpec {
    let unit = unit(source);
    let suffix = match unit {
        Unit::Cycles if !source.contains("cycles") => "cycles",
        Unit::Bytes => "bytes",
        _ => "",
    };
    MetricSpec {
        name: snake_case(source, suffix),
        unit,
        kind: kind(source),
        direction: direction(source),
        is_integer,
        source: Some(source.to_owned()),
    }
}

/// The metric where the times of a source are in nanoseconds.
pub(crate) fn in_nanoseconds(spec: &mut MetricSpec) {
    if spec.unit == Unit::Cycles {
        spec.unit = Unit::Nanoseconds;
        spec.name = format!("{}_ns", spec.name.trim_end_matches("_cycles"));
    }
}

fn unit(source: &str) -> Unit {
    match source {
        "parallel_benefit" | "mem_hier_util" | "work_deviation" => Unit::Ratio,
        "chunk_work_cpu" | "root_dist" => Unit::Cycles,
        "mem_fp" => Unit::Bytes,
        "compute_int" => Unit::Unknown,
        "task" | "queue_size" | "num_siblings" | "num_children" | "depth" | "problematic"
        | "on_crit_path" | "ins_count" | "idle_join" | "parent_joins_at" | "sibling_scatter" => {
            Unit::Count
        }
        _ if source.ends_with("_balance") => Unit::Ratio,
        _ if source.starts_with("inst_par_") => Unit::Count,
        _ if source.contains("_cycles") || source.ends_with("_instant") => Unit::Cycles,
        // The only counter of the published profiles that counts cycles; see PAPI's presets.
        _ if source.starts_with("PAPI_RES_STL") || source.starts_with("PAPI_TOT_CYC") => {
            Unit::Cycles
        }
        _ if source.starts_with("PAPI_") => Unit::Count,
        _ => Unit::Unknown,
    }
}

fn kind(source: &str) -> MetricKind {
    match source {
        "exec_cycles" | "overhead_cycles" | "work_cycles_left" | "work_cycles_right"
        | "ins_count" | "problematic" | "on_crit_path" => MetricKind::Additive,
        _ if source.ends_with("_sum") => MetricKind::Additive,
        _ => MetricKind::Intensive,
    }
}

fn direction(source: &str) -> Direction {
    match source {
        "parallel_benefit" | "compute_int" => Direction::HigherIsBetter,
        _ if source.starts_with("inst_par_") => Direction::HigherIsBetter,
        "task" | "num_siblings" | "num_children" | "depth" | "idle_join" | "parent_joins_at"
        | "root_dist" | "ins_count" | "mem_fp" | "on_crit_path" => Direction::Neutral,
        _ if source.ends_with("_instant") => Direction::Neutral,
        _ if unit(source) == Unit::Unknown => Direction::Neutral,
        _ => Direction::HigherIsWorse,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_become_metrics_with_units() {
        let names = [
            "exec_cycles",
            "create_instant",
            "sync_cycles_per_child",
            "PAPI_RES_STL_sum",
            "PAPI_TLB_DM_mean",
            "parallel_benefit",
            "mem_fp",
            "my column",
        ];
        let specs = names.map(|name| {
            let spec = spec(name, true);
            format!(
                "{} {} {} {}",
                spec.name, spec.unit, spec.kind, spec.direction
            )
        });
        let expected = [
            "exec_cycles cycles additive higher_is_worse",
            "create_instant_cycles cycles intensive neutral",
            "sync_cycles_per_child cycles intensive higher_is_worse",
            "papi_res_stl_sum_cycles cycles additive higher_is_worse",
            "papi_tlb_dm_mean count intensive higher_is_worse",
            "parallel_benefit ratio intensive higher_is_better",
            "mem_fp_bytes bytes intensive neutral",
            "my_column unknown intensive neutral",
        ];
        assert_eq!(specs, expected);
    }
}
