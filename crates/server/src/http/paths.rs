//! The routes of paths and loops of one run.

use actix_web::{HttpRequest, get, web};
use sheaf_answers::{ErrorBody, Loops, Paths, PathsQuery, RunTableQuery};
use sheaf_ensemble::{GraphForm, PathScope};

use super::asking::{Asking, ask_table};
use super::error::ApiError;
use super::query::Query;
use super::routes::Outcome;
use crate::Answers;

pub(super) fn configure(config: &mut web::ServiceConfig) {
    config.service(paths).service(loops);
}

/// What bounds the time of a run, or of a group of its grains.
#[utoipa::path(get, tag = "run", params(("run" = String, Path, description = "Run"), PathsQuery),
    path = "/api/v1/runs/{run}/paths",
    responses((status = 200, body = Paths), (status = "4XX", body = ErrorBody)))]
#[get("/api/v1/runs/{run}/paths")]
async fn paths(
    request: HttpRequest,
    service: Asking,
    run: web::Path<String>,
    query: Query<PathsQuery>,
) -> Outcome {
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
    let question = move |answers: &Answers| answers.paths(&run, &scope, form);
    ask_table(
        &request,
        &service,
        (query.store.as_deref(), query.format),
        question,
    )
    .await
}

/// How many workers the work-sharing loops of a run need.
#[utoipa::path(get, tag = "run", params(("run" = String, Path, description = "Run"), RunTableQuery),
    path = "/api/v1/runs/{run}/loops",
    responses((status = 200, body = Loops), (status = "4XX", body = ErrorBody)))]
#[get("/api/v1/runs/{run}/loops")]
async fn loops(
    request: HttpRequest,
    service: Asking,
    run: web::Path<String>,
    query: Query<RunTableQuery>,
) -> Outcome {
    let question = move |answers: &Answers| answers.loops(&run);
    ask_table(
        &request,
        &service,
        (query.store.as_deref(), query.format),
        question,
    )
    .await
}
