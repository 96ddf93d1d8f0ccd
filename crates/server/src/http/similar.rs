//! The routes of similarity and projections.

use actix_web::{get, web};
use sheaf_answers::{ErrorBody, Projection, Similar, SimilarQuery};
use sheaf_ensemble::SimilarQuestion;

use super::asking::Asking;
use super::error::ApiError;
use super::query::Query;
use super::routes::{Outcome, read_lens};

pub(super) fn configure(config: &mut web::ServiceConfig) {
    config.service(similar).service(projection);
}

/// How alike the runs are that the lens's `where` selects, and which belong together.
#[utoipa::path(get, tag = "ensemble", params(SimilarQuery), path = "/api/v1/similar",
    responses((status = 200, body = Similar), (status = "4XX", body = ErrorBody)))]
#[get("/api/v1/similar")]
async fn similar(service: Asking, query: Query<SimilarQuery>) -> Outcome {
    let question = question(&query)?;
    service
        .table(move |answers| answers.similar(&question))
        .await
}

/// The same runs in two pictures: by what they do, and by their parameters.
#[utoipa::path(get, tag = "ensemble", params(SimilarQuery), path = "/api/v1/projection",
    responses((status = 200, body = Projection), (status = "4XX", body = ErrorBody)))]
#[get("/api/v1/projection")]
async fn projection(service: Asking, query: Query<SimilarQuery>) -> Outcome {
    let question = question(&query)?;
    service
        .table(move |answers| answers.projection(&question))
        .await
}

fn question(query: &SimilarQuery) -> Result<SimilarQuestion, ApiError> {
    let measure = query.measure.unwrap_or_default();
    Ok(SimilarQuestion {
        lens: read_lens(query.lens.as_deref())?,
        runs: Vec::new(),
        measure,
        metric: query.metric.clone(),
        form: query.form,
        threshold: query.threshold,
        clusters: query.clusters,
        seed: query.seed.unwrap_or_default(),
        ..SimilarQuestion::new(measure)
    })
}
