//! The route of source files.

use actix_web::{get, web};
use sheaf_answers::{ErrorBody, Source, SourceQuery};

use super::asking::Asking;
use super::error::ApiError;
use super::query::Query;
use super::routes::{Outcome, read_lens};

/// Lines before and after a definition.
const AROUND: usize = 300;
const MAX_AROUND: usize = 10_000;

pub(super) fn configure(config: &mut web::ServiceConfig) {
    config.service(source);
}

/// Lines of the source file of a group, with values per line; only of files below the folders of `--source`.
#[utoipa::path(get, tag = "ensemble", params(SourceQuery), path = "/api/v1/source",
    responses((status = 200, body = Source), (status = "4XX", body = ErrorBody)))]
#[get("/api/v1/source")]
async fn source(service: Asking, query: Query<SourceQuery>) -> Outcome {
    let lens = read_lens(query.lens.as_deref())?;
    let around = query.around.unwrap_or(AROUND);
    if around > MAX_AROUND {
        return Err(ApiError::bad_request(format!(
            "around `{around}` is more than `{MAX_AROUND}`"
        )));
    }
    let group = query.group.clone();
    let folders = service.sources.clone();
    service
        .json(move |answers| answers.source(&lens, &group, around, &folders))
        .await
}
