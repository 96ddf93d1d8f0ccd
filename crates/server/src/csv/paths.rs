//! Paths, loops and edges of one run as comma-separated values.

use sheaf_api::{Loops, Paths, Scheduling};

use super::{option, text, write};

/// Definitions with their part in the paths.
pub fn paths(answer: &Paths) -> String {
    let header = [
        "definition",
        "grains",
        "work",
        "critical_grains",
        "critical_work",
        "last_finisher_work",
        "span",
        "parallelism",
    ]
    .map(str::to_owned);
    let rows = answer.rows.iter().map(|row| {
        vec![
            text(&row.definition),
            row.grains.to_string(),
            row.work.to_string(),
            row.critical_grains.to_string(),
            row.critical_work.to_string(),
            option(row.last_finisher_work.as_ref()),
            option(row.span.as_ref()),
            option(row.parallelism.as_ref()),
        ]
    });
    write(&header, rows)
}

/// Executions of loops.
pub fn loops(answer: &Loops) -> String {
    let header = [
        "definition",
        "first_chunk",
        "owner",
        "chunks",
        "workers",
        "work",
        "makespan",
        "makespan_from",
        "least_workers",
        "least_workers_lower",
        "least_workers_upper",
        "proof",
    ]
    .map(str::to_owned);
    let rows = answer.rows.iter().map(|row| {
        let owner = row.owner.as_ref().map(|owner| owner.join(" / "));
        vec![
            text(&row.definition),
            row.first_chunk.to_string(),
            owner.as_deref().map(text).unwrap_or_default(),
            row.chunks.to_string(),
            option(row.workers.as_ref()),
            row.work.to_string(),
            row.makespan.to_string(),
            row.makespan_from.clone(),
            option(row.least_workers.as_ref()),
            row.least_workers_lower.to_string(),
            row.least_workers_upper.to_string(),
            row.proof.clone(),
        ]
    });
    write(&header, rows)
}

/// Edges by kind, with the time from becoming ready to the start.
pub fn scheduling(answer: &Scheduling) -> String {
    let header = [
        "kind",
        "edges",
        "moved",
        "delay",
        "delay_median",
        "delay_p99",
        "delay_max",
    ]
    .map(str::to_owned);
    let rows = answer.edges.iter().map(|row| {
        vec![
            row.kind.clone(),
            row.edges.to_string(),
            row.moved.to_string(),
            option(row.delay.as_ref()),
            option(row.delay_median.as_ref()),
            option(row.delay_p99.as_ref()),
            option(row.delay_max.as_ref()),
        ]
    });
    write(&header, rows)
}
