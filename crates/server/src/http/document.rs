//! The OpenAPI document.

use utoipa::OpenApi;

use super::{
    decisions, depth, imports, notes, paths, routes, scale, similar, source, timeline, what_if,
};

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Grainsheaf",
        description = "Questions to ensembles of runs of parallel programs. Every question is a \
                       lens; the same questions and answers as on the command line."
    ),
    paths(
        routes::store,
        routes::runs,
        routes::one_run,
        routes::lens_text,
        routes::stats,
        routes::grain_stats,
        routes::locations,
        routes::explain,
        what_if::what_if,
        what_if::what_first,
        what_if::check,
        routes::sankey,
        routes::hierarchy,
        source::source,
        routes::distribution,
        routes::diff,
        depth::grain_diff,
        scale::scale,
        decisions::gate,
        decisions::noise,
        decisions::history,
        notes::mapping,
        notes::edit_mapping,
        notes::set_metric_unit,
        notes::rename_run,
        notes::remarks,
        notes::set_remark,
        notes::remove_runs,
        notes::restore_runs,
        similar::similar,
        similar::projection,
        depth::grains,
        depth::fragments,
        depth::problems,
        depth::tree,
        depth::groups,
        depth::similar_groups,
        timeline::timeline,
        timeline::parallelism,
        timeline::scheduling,
        paths::paths,
        paths::loops,
        routes::verify,
        imports::begin,
        imports::send,
        imports::start,
        imports::one_import,
        imports::watch,
        imports::cancel,
    ),
    components(schemas(
        sheaf_answers::ErrorBody,
        sheaf_answers::Format,
        sheaf_answers::GrainMatch,
        sheaf_answers::LocationKind,
        sheaf_answers::LocationOrder,
        sheaf_answers::Preset,
        sheaf_answers::ScaleTable
    ))
)]
struct Document;

/// The document that the service sends. `make types` writes it from [`openapi`]. Code that builds it would make the
/// binary of `make dist` 1.7 MB larger.
pub(super) const GENERATED: &str = include_str!("../../../../frontend/openapi.json");

/// The OpenAPI document as indented JSON with a final line feed.
pub fn openapi() -> String {
    let document = Document::openapi();
    let mut text = document.to_pretty_json().unwrap_or_default();
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_generated_document_is_that_of_the_routes() {
        assert!(super::openapi() == super::GENERATED, "run `make types`");
    }
}
