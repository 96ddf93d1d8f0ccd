//! The routes of the time line of one run.

use actix_web::{get, web};
use sheaf_answers::{ErrorBody, Parallelism, Scheduling, TableQuery, Timeline, TimelineQuery};
use sheaf_ensemble::Window;

use super::asking::Asking;
use super::error::ApiError;
use super::query::Query;
use super::routes::Outcome;

/// Parts of an interval if the request does not set it.
const PIXELS: u32 = 1_000;
/// Parts of an interval at most.
const MAX_PIXELS: u32 = 10_000;

pub(super) fn configure(config: &mut web::ServiceConfig) {
    config
        .service(timeline)
        .service(parallelism)
        .service(scheduling);
}

/// Who ran what in an interval of a run.
#[utoipa::path(get, tag = "run", params(("run" = String, Path, description = "Run"), TimelineQuery),
    path = "/api/v1/runs/{run}/timeline",
    responses((status = 200, body = Timeline), (status = "4XX", body = ErrorBody)))]
#[get("/api/v1/runs/{run}/timeline")]
async fn timeline(service: Asking, run: web::Path<String>, query: Query<TimelineQuery>) -> Outcome {
    let window = window(&query)?;
    service
        .table(move |answers| answers.timeline(&run, &window))
        .await
}

/// How many fragments ran, and how many waited for a worker, in an interval of a run.
#[utoipa::path(get, tag = "run", params(("run" = String, Path, description = "Run"), TimelineQuery),
    path = "/api/v1/runs/{run}/parallelism",
    responses((status = 200, body = Parallelism), (status = "4XX", body = ErrorBody)))]
#[get("/api/v1/runs/{run}/parallelism")]
async fn parallelism(
    service: Asking,
    run: web::Path<String>,
    query: Query<TimelineQuery>,
) -> Outcome {
    let window = window(&query)?;
    service
        .table(move |answers| answers.parallelism(&run, &window))
        .await
}

/// Where the time of a run's workers went, and who took work from whom.
#[utoipa::path(get, tag = "run", params(("run" = String, Path, description = "Run"), TableQuery),
    path = "/api/v1/runs/{run}/scheduling",
    responses((status = 200, body = Scheduling), (status = "4XX", body = ErrorBody)))]
#[get("/api/v1/runs/{run}/scheduling")]
async fn scheduling(service: Asking, run: web::Path<String>, _query: Query<TableQuery>) -> Outcome {
    service.table(move |answers| answers.scheduling(&run)).await
}

fn window(query: &TimelineQuery) -> Result<Window, ApiError> {
    let parts = query.pixels.unwrap_or(PIXELS);
    if !(1..=MAX_PIXELS).contains(&parts) {
        return Err(ApiError::bad_request(format!(
            "pixels `{parts}` is not between 1 and {MAX_PIXELS}"
        )));
    }
    if let (Some(start), Some(end)) = (query.start, query.end)
        && end <= start
    {
        return Err(ApiError::bad_request(format!(
            "end `{end}` is not after start `{start}`"
        )));
    }
    Ok(Window {
        start: query.start,
        end: query.end,
        parts,
    })
}
