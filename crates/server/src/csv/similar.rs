//! Similarity and projections as comma-separated values.

use sheaf_api::{Projection, Similar};

use super::{names, option, param, text, write};

/// The matrix: a row and a column for each run, columns under run ids.
pub fn similar(answer: &Similar) -> String {
    let fixed = ["run", "name", "cluster", "structure", "nodes", "differs"];
    let mut header: Vec<String> = fixed.iter().map(ToString::to_string).collect();
    header.extend(answer.runs.iter().map(|run| run.run.clone()));
    let rows = answer.runs.iter().zip(&answer.matrix).map(|(run, row)| {
        let mut cells = vec![
            run.run.clone(),
            text(&run.name),
            run.cluster.to_string(),
            run.structure.clone(),
            run.nodes.to_string(),
            option(run.differs.as_ref()),
        ];
        cells.extend(row.iter().map(|value| option(value.as_ref())));
        cells
    });
    write(&header, rows)
}

/// Places of runs in both pictures; parameters become columns `params.NAME`.
pub fn projection(answer: &Projection) -> String {
    let fixed = [
        "run",
        "name",
        "x",
        "y",
        "cluster",
        "parameters_x",
        "parameters_y",
        "parameters_cluster",
    ];
    let parameters = names(answer.runs.iter().map(|run| &run.params));
    let mut header: Vec<String> = fixed.iter().map(ToString::to_string).collect();
    header.extend(parameters.iter().map(|name| format!("params.{name}")));
    let rows = answer.runs.iter().map(|run| {
        let mut cells = vec![run.run.clone(), text(&run.name)];
        for place in [run.behaviour, run.parameters] {
            cells.extend([
                place.x.to_string(),
                place.y.to_string(),
                place.cluster.to_string(),
            ]);
        }
        cells.extend(parameters.iter().map(|name| param(run.params.get(*name))));
        cells
    });
    write(&header, rows)
}
