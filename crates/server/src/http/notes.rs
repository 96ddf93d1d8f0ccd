//! Routes that change a store: the mapping of definitions, units of metrics, names
//! of runs, remarks, and which runs there are.

use actix_web::{get, post, web};
use sheaf_answers::{
    ErrorBody, MappedPair, Mapping, MappingChange, MappingRequest, MetricUnitRequest, MetricUnits,
    RemarkRequest, Remarks, RemovalRequest, Remove, Restore, RunName, RunNameRequest, StoreQuery,
    TableQuery,
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
        .service(set_metric_unit)
        .service(rename_run)
        .service(remarks)
        .service(set_remark)
        .service(remove_runs)
        .service(restore_runs);
}

/// The store's mapping of definitions of different versions.
#[utoipa::path(get, tag = "ensemble", params(TableQuery), path = "/api/v1/mapping",
    responses((status = 200, body = Mapping), (status = "4XX", body = ErrorBody)))]
#[get("/api/v1/mapping")]
async fn mapping(service: Asking, _query: Query<TableQuery>) -> Outcome {
    service.table(Answers::mapping).await
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

/// Gives a run another name, or the name of its import.
#[utoipa::path(post, tag = "ensemble", path = "/api/v1/runs/rename", request_body = RunNameRequest,
    responses((status = 200, body = RunName), (status = "4XX", body = ErrorBody)))]
#[post("/api/v1/runs/rename")]
async fn rename_run(service: Asking, request: web::Json<RunNameRequest>) -> Outcome {
    let RunNameRequest { store, run, name } = request.into_inner();
    check_policy(&service)?;
    service
        .in_store(store)
        .json(move |answers| answers.rename_run(&run, name.as_deref()))
        .await
}

/// The remarks of users on runs and grains.
#[utoipa::path(get, tag = "ensemble", params(StoreQuery), path = "/api/v1/remarks",
    responses((status = 200, body = Remarks), (status = "4XX", body = ErrorBody)))]
#[get("/api/v1/remarks")]
async fn remarks(service: Asking, _query: Query<StoreQuery>) -> Outcome {
    service.json(Answers::remarks).await
}

/// Sets or removes the remark on a run or a grain.
#[utoipa::path(post, tag = "ensemble", path = "/api/v1/remarks", request_body = RemarkRequest,
    responses((status = 200, body = Remarks), (status = "4XX", body = ErrorBody)))]
#[post("/api/v1/remarks")]
async fn set_remark(service: Asking, request: web::Json<RemarkRequest>) -> Outcome {
    let RemarkRequest {
        store,
        run,
        path_key,
        text,
    } = request.into_inner();
    check_policy(&service)?;
    service
        .in_store(store)
        .json(move |answers| answers.set_remark(&run, path_key.as_deref(), text.as_deref()))
        .await
}

/// Removes runs, all or none.
#[utoipa::path(post, tag = "ensemble", path = "/api/v1/runs/remove", request_body = RemovalRequest,
    responses((status = 200, body = Remove), (status = "4XX", body = ErrorBody)))]
#[post("/api/v1/runs/remove")]
async fn remove_runs(service: Asking, request: web::Json<RemovalRequest>) -> Outcome {
    let RemovalRequest { store, runs } = request.into_inner();
    check_policy(&service)?;
    check_number(runs.len(), "runs")?;
    service
        .in_store(store)
        .json(move |answers| answers.remove(&runs))
        .await
}

/// Brings removed runs back, all or none, until their space is freed.
#[utoipa::path(post, tag = "ensemble", path = "/api/v1/runs/restore", request_body = RemovalRequest,
    responses((status = 200, body = Restore), (status = "4XX", body = ErrorBody)))]
#[post("/api/v1/runs/restore")]
async fn restore_runs(service: Asking, request: web::Json<RemovalRequest>) -> Outcome {
    let RemovalRequest { store, runs } = request.into_inner();
    check_policy(&service)?;
    check_number(runs.len(), "runs")?;
    service
        .in_store(store)
        .json(move |answers| answers.restore(&runs))
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
    check_number(changes.len(), "changes")?;
    let mut notes = changes.iter().filter_map(|change| change.note.as_ref());
    match notes.find(|note| note.len() > MAX_NOTE) {
        Some(note) => Err(ApiError::bad_request(format!(
            "a note has at most {MAX_NOTE} bytes, not `{}`",
            note.len()
        ))),
        None => Ok(()),
    }
}

fn check_number(count: usize, what: &str) -> Result<(), ApiError> {
    if (1..=MAX_CHANGES).contains(&count) {
        return Ok(());
    }
    Err(ApiError::bad_request(format!(
        "a request has 1 to {MAX_CHANGES} {what}, not `{count}`"
    )))
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
