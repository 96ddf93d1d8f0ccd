//! Routes of imports: begin, send files, start, watch, cancel.

mod events;
mod upload;

use std::sync::Arc;

use actix_web::http::header;
use actix_web::{HttpRequest, HttpResponse, delete, get, post, put, web};
use sheaf_answers::{ErrorBody, FileQuery, Import, ImportProgress, ImportRequest, ReceivedFile};

use super::Service;
use super::error::ApiError;
use super::query::Query;
use crate::imports::{Job, Refusal, UploadPath};

pub(super) fn configure(config: &mut web::ServiceConfig) {
    config
        .service(begin)
        .service(send)
        .service(start)
        .service(one_import)
        .service(watch)
        .service(cancel);
}

type Outcome = Result<HttpResponse, ApiError>;

/// Begins an import: files can be sent to it.
#[utoipa::path(post, tag = "imports", operation_id = "begin_import", path = "/api/v1/imports",
    request_body = ImportRequest,
    responses((status = 201, body = Import), (status = 400, body = ErrorBody),
        (status = 403, body = ErrorBody), (status = 404, body = ErrorBody),
        (status = 429, body = ErrorBody)))]
#[post("/api/v1/imports")]
async fn begin(service: web::Data<Service>, request: web::Json<ImportRequest>) -> Outcome {
    let request = request.into_inner();
    let name = request.store.clone();
    let (store, _) = service.store(name.as_deref())?;
    let store = store.to_owned();
    let job = {
        let service = service.clone();
        blocking(move || service.imports.begin(&store, request)).await?
    };
    Ok(HttpResponse::Created()
        .insert_header((header::LOCATION, format!("/api/v1/imports/{}", job.id())))
        .json(service.imports.to_wire(&job)))
}

/// Sends a file, in whole; a file that was sent before is replaced.
#[utoipa::path(put, tag = "imports", operation_id = "send_file", path = "/api/v1/imports/{import}/files",
    params(("import" = String, Path, description = "Import"), FileQuery),
    request_body(content_type = "application/octet-stream", description = "Content of the file"),
    responses((status = 200, body = ReceivedFile), (status = 400, body = ErrorBody),
        (status = 404, body = ErrorBody), (status = 409, body = ErrorBody),
        (status = 413, body = ErrorBody), (status = 429, body = ErrorBody)))]
#[put("/api/v1/imports/{import}/files")]
async fn send(
    request: HttpRequest,
    service: web::Data<Service>,
    import: web::Path<String>,
    query: Query<FileQuery>,
    payload: web::Payload,
) -> Outcome {
    let mut body = upload::Body::new(payload);
    let received = async {
        refuse_parts(&request)?;
        let places = service.uploads.places();
        let _place = service
            .uploads
            .enter()
            .ok_or(Refusal::TooManyFiles(places))?;
        let job = service.imports.get(&import)?;
        let path = UploadPath::parse(&query.path, &service.imports.policy().limits)?;
        upload::receive(&job, path, declared_length(&request), &mut body).await
    };
    match received.await {
        Ok(bytes) => Ok(HttpResponse::Ok().json(ReceivedFile {
            path: query.into_inner().path,
            bytes,
        })),
        Err(refusal) => {
            body.drain().await;
            Err(ApiError::from_refusal(&refusal))
        }
    }
}

/// Reads what was sent and adds it to the store, after the imports that were started before.
#[utoipa::path(post, tag = "imports", operation_id = "start_import", path = "/api/v1/imports/{import}/start",
    params(("import" = String, Path, description = "Import")),
    responses((status = 202, body = Import), (status = 404, body = ErrorBody),
        (status = 409, body = ErrorBody)))]
#[post("/api/v1/imports/{import}/start")]
async fn start(service: web::Data<Service>, import: web::Path<String>) -> Outcome {
    let job = find(&service, &import)?;
    let is_first = service
        .imports
        .enqueue(&job)
        .map_err(|refusal| ApiError::from_refusal(&refusal))?;
    if is_first {
        let service = service.clone();
        let store = job.store().to_owned();
        // It goes on by itself: the import is followed by its id.
        drop(actix_web::rt::task::spawn_blocking(move || {
            service.imports.work(&store);
        }));
    }
    Ok(HttpResponse::Accepted().json(service.imports.to_wire(&job)))
}

/// An import: how far it is, what arrived, what became of it.
#[utoipa::path(get, tag = "imports", operation_id = "import", path = "/api/v1/imports/{import}",
    params(("import" = String, Path, description = "Import")),
    responses((status = 200, body = Import), (status = 404, body = ErrorBody)))]
#[get("/api/v1/imports/{import}")]
async fn one_import(service: web::Data<Service>, import: web::Path<String>) -> Outcome {
    let job = find(&service, &import)?;
    Ok(HttpResponse::Ok()
        .insert_header((header::CACHE_CONTROL, "no-store"))
        .json(service.imports.to_wire(&job)))
}

/// Server-sent events: how far an import is, whenever that changes, until it ends.
#[utoipa::path(get, tag = "imports", operation_id = "import_events", path = "/api/v1/imports/{import}/events",
    params(("import" = String, Path, description = "Import")),
    responses((status = 200, body = ImportProgress, content_type = "text/event-stream"),
        (status = 404, body = ErrorBody), (status = 429, body = ErrorBody)))]
#[get("/api/v1/imports/{import}/events")]
async fn watch(service: web::Data<Service>, import: web::Path<String>) -> Outcome {
    let job = find(&service, &import)?;
    let places = service.watchers.places();
    let too_many = || ApiError::from_refusal(&Refusal::TooManyWatchers(places));
    let place = service.watchers.enter().ok_or_else(too_many)?;
    Ok(HttpResponse::Ok()
        .content_type("text/event-stream")
        .insert_header((header::CACHE_CONTROL, "no-store"))
        // Compression would hold events back.
        .insert_header((header::CONTENT_ENCODING, "identity"))
        .body(events::Events::new(service.clone(), job, place)))
}

/// Cancels an import; nothing of it is added. One that has ended stays as it is.
#[utoipa::path(delete, tag = "imports", operation_id = "cancel_import", path = "/api/v1/imports/{import}",
    params(("import" = String, Path, description = "Import")),
    responses((status = 200, body = Import), (status = 404, body = ErrorBody)))]
#[delete("/api/v1/imports/{import}")]
async fn cancel(service: web::Data<Service>, import: web::Path<String>) -> Outcome {
    let job = find(&service, &import)?;
    {
        let job = Arc::clone(&job);
        blocking(move || {
            job.cancel();
            Ok(())
        })
        .await?;
    }
    Ok(HttpResponse::Ok().json(service.imports.to_wire(&job)))
}

fn find(service: &Service, import: &str) -> Result<Arc<Job>, ApiError> {
    service
        .imports
        .get(import)
        .map_err(|refusal| ApiError::from_refusal(&refusal))
}

/// A part that was taken for the file would be added as if it were whole.
fn refuse_parts(request: &HttpRequest) -> Result<(), Refusal> {
    let Some(range) = request.headers().get(header::CONTENT_RANGE) else {
        return Ok(());
    };
    let range = String::from_utf8_lossy(range.as_bytes());
    let range = range.escape_debug();
    Err(Refusal::BadRequest(format!(
        "`Content-Range` is `{range}`, and parts of files are not taken; send the file whole"
    )))
}

fn declared_length(request: &HttpRequest) -> Option<u64> {
    let value = request.headers().get(header::CONTENT_LENGTH)?;
    value.to_str().ok()?.parse().ok()
}

/// Does something on a thread that may block.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Refusal> + Send + 'static,
) -> Result<T, ApiError> {
    match web::block(work).await {
        Ok(outcome) => outcome.map_err(|refusal| ApiError::from_refusal(&refusal)),
        Err(_) => Err(ApiError::internal("the work was given up")),
    }
}
