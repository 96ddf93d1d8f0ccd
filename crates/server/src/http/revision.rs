//! Answers that a client already has: the revision of the store as entity tag.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::Path;
use std::time::UNIX_EPOCH;

use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{self, HeaderName, HeaderValue};
use actix_web::http::{Method, StatusCode};
use actix_web::middleware::Next;
use actix_web::{HttpResponse, web};

use super::Service;

/// The revision of the store that an answer is from, so that a page notices when a store has changed.
pub(super) const REVISION: HeaderName = HeaderName::from_static("grainsheaf-revision");

/// Folders of a store whose lists of names change with its content.
const LISTED: [&str; 2] = ["segments", "log"];

/// Folders of a store with files that are replaced as a whole.
const REPLACED: [&str; 2] = ["notes", "notes/tombstones"];

/// Answers 304 if the client has the answer of this revision; else adds the revision to the answer.
///
/// The revision is read before the question is answered. If the store changes in between, the answer is newer than
/// its tag, and the client gets it once more.
pub(super) async fn answer_unchanged(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, actix_web::Error> {
    let revision = match is_question(&request).then(|| folder_of(&request)).flatten() {
        Some(folder) => web::block(move || revision_of(&folder)).await.ok(),
        None => None,
    };
    let Some(revision) = revision else {
        return Ok(next.call(request).await?.map_into_boxed_body());
    };
    let tag = tag_of(&request, revision);
    let (Ok(tag_value), Ok(revision_value)) = (
        HeaderValue::from_str(&tag),
        HeaderValue::from_str(&format!("{revision:016x}")),
    ) else {
        return Ok(next.call(request).await?.map_into_boxed_body());
    };
    let mut response = if is_known(&request, &tag) {
        let unchanged = HttpResponse::new(StatusCode::NOT_MODIFIED);
        request.into_response(unchanged).map_into_boxed_body()
    } else {
        next.call(request).await?.map_into_boxed_body()
    };
    if matches!(response.status(), StatusCode::OK | StatusCode::NOT_MODIFIED) {
        let headers = response.headers_mut();
        headers.insert(header::ETAG, tag_value);
        let caching = HeaderValue::from_static("private, no-cache");
        headers.insert(header::CACHE_CONTROL, caching);
        headers.insert(REVISION, revision_value);
    }
    Ok(response)
}

/// Whether a request asks something whose answer follows from the store alone.
fn is_question(request: &ServiceRequest) -> bool {
    const OTHERS: [&str; 5] = ["imports", "verify", "lens", "openapi.json", "source"];
    let path = request.path().strip_prefix("/api/v1/");
    let first = path.and_then(|path| path.split('/').next());
    request.method() == Method::GET && first.is_some_and(|first| !OTHERS.contains(&first))
}

fn folder_of(request: &ServiceRequest) -> Option<std::path::PathBuf> {
    let service = request.app_data::<web::Data<Service>>()?;
    let query = web::Query::<Vec<(String, String)>>::from_query(request.query_string()).ok()?;
    let named = query.iter().find(|(name, _)| name == "store");
    let (_, answers) = service.store(named.map(|(_, store)| store.as_str())).ok()?;
    Some(answers.ensemble().path().to_path_buf())
}

/// A number that changes when the store does.
fn revision_of(store: &Path) -> u64 {
    let mut hasher = DefaultHasher::new();
    env!("CARGO_PKG_VERSION").hash(&mut hasher);
    for (folder, is_replaced) in LISTED
        .map(|folder| (folder, false))
        .into_iter()
        .chain(REPLACED.map(|folder| (folder, true)))
    {
        let listed = std::fs::read_dir(store.join(folder)).into_iter().flatten();
        let mut entries: Vec<_> = listed
            .flatten()
            .map(|entry| {
                let state = is_replaced.then(|| entry.metadata().ok()).flatten();
                let state = state.map(|state| {
                    let modified = state.modified().ok();
                    let since = modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
                    (state.len(), since)
                });
                (entry.file_name(), state)
            })
            .collect();
        entries.sort();
        (folder, entries).hash(&mut hasher);
    }
    hasher.finish()
}

/// A weak tag, as an answer may be compressed in several ways. Two forms of an answer have different tags, and so
/// have the answers about the service itself in two processes.
fn tag_of(request: &ServiceRequest, revision: u64) -> String {
    let mut hasher = DefaultHasher::new();
    revision.hash(&mut hasher);
    request.path().hash(&mut hasher);
    request.query_string().hash(&mut hasher);
    let accept = request.headers().get(header::ACCEPT);
    accept.map(HeaderValue::as_bytes).hash(&mut hasher);
    if request.path() == "/api/v1/store" {
        std::process::id().hash(&mut hasher);
    }
    format!("W/\"{:016x}\"", hasher.finish())
}

fn is_known(request: &ServiceRequest, tag: &str) -> bool {
    let given = request.headers().get_all(header::IF_NONE_MATCH);
    let mut tags = given
        .filter_map(|value| value.to_str().ok())
        .flat_map(|text| text.split(','));
    tags.any(|known| known.trim() == tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_change_of_a_store_is_another_revision() {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path();
        let empty = revision_of(store);
        assert_eq!(revision_of(store), empty);
        std::fs::create_dir_all(store.join("segments/a")).unwrap();
        let one = revision_of(store);
        assert_ne!(one, empty);
        std::fs::create_dir_all(store.join("notes")).unwrap();
        std::fs::write(store.join("notes/mapping.toml"), "a").unwrap();
        let noted = revision_of(store);
        assert_ne!(noted, one);
        std::fs::write(store.join("notes/mapping.toml"), "ab").unwrap();
        assert_ne!(revision_of(store), noted);
    }
}
