//! Routes of the store's notes that people change: the mapping of definitions, and units of metrics.

use actix_web::{get, post, web};
use sheaf_answers::{
    ErrorBody, MappedPair, Mapping, MappingChange, MappingRequest, MetricUnitRequest, MetricUnits,
    StoreQuery,
};
use sheaf_ensemble::MappingEdit;

use super::asking::Asking;
use super::error::ApiError;
use super::query::Query;
use super::routes::Outcome;
use crate::Answers;

/// Changes in one request.
const MAX_CHANGES: usize = 1000;
/// Bytes of the note of a change.
const MAX_NOTE: usize = 1 << 16;

pub(super) fn configure(config: &mut web::ServiceConfig) {
    config
        .service(mapping)
        .service(edit_mapping)
        .service(set_metric_unit);
}

/// The store's mapping of definitions of different versions.
#[utoipa::path(get, tag = "ensemble", params(StoreQuery), path = "/api/v1/mapping",
    responses((status = 200, body = Mapping), (status = "4XX", body = ErrorBody)))]
#[get("/api/v1/mapping")]
async fn mapping(service: Asking, _query: Query<StoreQuery>) -> Outcome {
    service.json(Answers::mapping).await
}

/// Changes the store's mapping: confirms, rejects or removes pairs, all or none.
#[utoipa::path(post, tag = "ensemble", operation_id = "edit_mapping", path = "/api/v1/mapping",
    request_body = MappingRequest,
    responses((status = 200, body = Mapping), (status = "4XX", body = ErrorBody)))]
#[post("/api/v1/mapping")]
async fn edit_mapping(service: Asking, request: web::Json<MappingRequest>) -> Outcome {
    let MappingRequest { store, changes } = request.into_inner();
    check_changes(&service, &changes)?;
    let edits: Vec<MappingEdit> = changes.into_iter().map(mapping_edit).collect();
    service
        .in_store(store)
        .json(move |answers| answers.edit_mapping(&edits))
        .await
}

/// States the unit of a metric whose source states none.
#[utoipa::path(post, tag = "ensemble", path = "/api/v1/units", request_body = MetricUnitRequest,
    responses((status = 200, body = MetricUnits), (status = "4XX", body = ErrorBody)))]
#[post("/api/v1/units")]
async fn set_metric_unit(service: Asking, request: web::Json<MetricUnitRequest>) -> Outcome {
    let MetricUnitRequest {
        store,
        metric,
        unit,
    } = request.into_inner();
    check_policy(&service)?;
    service
        .in_store(store)
        .json(move |answers| answers.set_metric_unit(&metric, unit))
        .await
}

fn check_policy(service: &Asking) -> Result<(), ApiError> {
    if service.imports.policy().is_allowed {
        Ok(())
    } else {
        Err(ApiError::read_only())
    }
}

/// Fails if the service may not change stores, or the number of changes or the length of a note is out of range.
fn check_changes(service: &Asking, changes: &[MappingChange]) -> Result<(), ApiError> {
    check_policy(service)?;
    let count = changes.len();
    if !(1..=MAX_CHANGES).contains(&count) {
        return Err(ApiError::bad_request(format!(
            "a request has 1 to {MAX_CHANGES} changes, not `{count}`"
        )));
    }
    let mut notes = changes.iter().filter_map(|change| change.note.as_ref());
    match notes.find(|note| note.len() > MAX_NOTE) {
        Some(note) => Err(ApiError::bad_request(format!(
            "a note has at most {MAX_NOTE} bytes, not `{}`",
            note.len()
        ))),
        None => Ok(()),
    }
}

fn mapping_edit(change: MappingChange) -> MappingEdit {
    let MappingChange { a, b, same, note } = change;
    match (same, note) {
        (None, _) => MappingEdit::Forget(a, b),
        (Some(true), None) => MappingEdit::Same(a, b),
        (Some(false), None) => MappingEdit::Different(a, b),
        (Some(same), note) => MappingEdit::Restore(MappedPair { a, b, same, note }),
    }
}
