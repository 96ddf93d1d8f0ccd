//! The routes of paths and loops of one run.

use actix_web::{get, web};
use sheaf_answers::{ErrorBody, Loops, Paths, PathsQuery, TableQuery};
use sheaf_ensemble::{GraphForm, PathScope};

use super::asking::Asking;
use super::error::ApiError;
use super::query::Query;
use super::routes::Outcome;

pub(super) fn configure(config: &mut web::ServiceConfig) {
    config.service(paths).service(loops);
}

/// What bounds the time of a run, or of a group of its grains.
#[utoipa::path(get, tag = "run", params(("run" = String, Path, description = "Run"), PathsQuery),
    path = "/api/v1/runs/{run}/paths",
    responses((status = 200, body = Paths), (status = "4XX", body = ErrorBody)))]
#[get("/api/v1/runs/{run}/paths")]
async fn paths(service: Asking, run: web::Path<String>, query: Query<PathsQuery>) -> Outcome {
    let query = query.into_inner();
    let definition = query.definition.filter(|name| !name.is_empty());
    let scope = match (definition, query.grain, query.group) {
        (None, None, None) => PathScope::Run,
        (Some(name), None, None) => PathScope::Definition(name),
        (None, Some(grain), None) => PathScope::Grain(grain),
        (None, None, Some(group)) => PathScope::Group(group),
        _ => {
            let reason = "give one of `definition`, `grain` and `group`";
            return Err(ApiError::bad_request(reason.to_owned()));
        }
    };
    let graph = query.graph.as_deref().filter(|form| !form.is_empty());
    let form = graph.map(str::parse::<GraphForm>).transpose();
    let form = form.map_err(ApiError::bad_request)?;
    service
        .table(move |answers| answers.paths(&run, &scope, form))
        .await
}

/// How many workers the work-sharing loops of a run need.
#[utoipa::path(get, tag = "run", params(("run" = String, Path, description = "Run"), TableQuery),
    path = "/api/v1/runs/{run}/loops",
    responses((status = 200, body = Loops), (status = "4XX", body = ErrorBody)))]
#[get("/api/v1/runs/{run}/loops")]
async fn loops(service: Asking, run: web::Path<String>, _query: Query<TableQuery>) -> Outcome {
    service.table(move |answers| answers.loops(&run)).await
}
