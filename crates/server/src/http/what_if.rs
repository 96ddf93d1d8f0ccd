//! The routes of predictions.

use actix_web::{get, web};
use sheaf_answers::{ErrorBody, WhatFirst, WhatIf, WhatIfCheck, WhatIfQuery};
use sheaf_ensemble::{Faster, WhatIfQuestion};

use super::asking::Asking;
use super::error::ApiError;
use super::query::Query;
use super::routes::Outcome;

pub(super) fn configure(config: &mut web::ServiceConfig) {
    config.service(what_if).service(what_first).service(check);
}

/// Times of runs on other numbers of workers and with changes: their grain graphs are scheduled again.
#[utoipa::path(get, tag = "ensemble", params(WhatIfQuery), path = "/api/v1/what-if",
    responses((status = 200, body = WhatIf), (status = "4XX", body = ErrorBody)))]
#[get("/api/v1/what-if")]
async fn what_if(service: Asking, query: Query<WhatIfQuery>) -> Outcome {
    let question = question(&query.into_inner())?;
    service
        .table(move |answers| answers.what_if(&question))
        .await
}

/// The gain in elapsed time from less work of each definition of a run, the largest gain first.
#[utoipa::path(get, tag = "ensemble", params(WhatIfQuery), path = "/api/v1/what-if/first",
    responses((status = 200, body = WhatFirst), (status = "4XX", body = ErrorBody)))]
#[get("/api/v1/what-if/first")]
async fn what_first(service: Asking, query: Query<WhatIfQuery>) -> Outcome {
    let question = question(&query.into_inner())?;
    service
        .table(move |answers| answers.what_first(&question))
        .await
}

/// Recorded runs predicted from runs with other numbers of workers.
#[utoipa::path(get, tag = "ensemble", params(WhatIfQuery), path = "/api/v1/what-if/check",
    responses((status = 200, body = WhatIfCheck), (status = "4XX", body = ErrorBody)))]
#[get("/api/v1/what-if/check")]
async fn check(service: Asking, query: Query<WhatIfQuery>) -> Outcome {
    let question = question(&query.into_inner())?;
    service
        .table(move |answers| answers.what_if_check(&question))
        .await
}

fn question(query: &WhatIfQuery) -> Result<WhatIfQuestion, ApiError> {
    let default = WhatIfQuestion::default();
    let parts = |text: &str, separator: char| -> Vec<String> {
        let parts = text.split(separator).map(str::trim);
        parts
            .filter(|part| !part.is_empty())
            .map(str::to_owned)
            .collect()
    };
    let workers = parts(query.workers.as_deref().unwrap_or_default(), ',');
    let workers = workers.iter().map(|text| {
        let reason = || format!("`workers` has `{text}`, which is not a positive integer");
        text.parse().map_err(|_| ApiError::bad_request(reason()))
    });
    let faster = parts(query.faster.as_deref().unwrap_or_default(), ';');
    let faster = faster
        .iter()
        .map(|text| text.parse::<Faster>().map_err(ApiError::bad_request));
    let policy = query.policy.as_deref().filter(|policy| !policy.is_empty());
    Ok(WhatIfQuestion {
        runs: parts(&query.runs, ';'),
        workers: workers.collect::<Result<_, _>>()?,
        is_infinite: query.infinite.unwrap_or(false),
        faster: faster.collect::<Result<_, _>>()?,
        is_without_delay: query.no_delay.unwrap_or(false),
        is_without_creation: query.without_creation_cost.unwrap_or(false),
        cut_off: query.cut_off,
        chunk_size: query.chunk_size,
        reference: query
            .reference
            .clone()
            .filter(|text| !text.trim().is_empty()),
        policy: policy
            .map(str::parse)
            .transpose()
            .map_err(ApiError::bad_request)?,
        repeats: query.repeats.unwrap_or(default.repeats),
        seed: query.seed.unwrap_or(default.seed),
    })
}
