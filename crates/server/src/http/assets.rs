//! The embedded frontend.

use actix_web::http::header;
use actix_web::{HttpRequest, HttpResponse};
use rust_embed::RustEmbed;

use super::error::Fault;

#[derive(RustEmbed)]
#[folder = "../../frontend/dist"]
struct Assets;

const NOT_BUILT: &str = "<!doctype html><title>grainsheaf</title><p>This binary was built without \
                         the frontend. Build it with <code>make build</code>. The API is at \
                         <code>/api/v1/</code>.";

/// A file of the frontend; any other path outside of the API is the page itself, whose address
/// holds its state.
pub(super) async fn page(request: HttpRequest) -> Result<HttpResponse, Fault> {
    let path = request.path().trim_start_matches('/');
    if path.starts_with("api/") {
        return Err(Fault::not_found(request.path()));
    }
    if let Some(file) = Assets::get(path) {
        // Names of assets hold a hash of their content; the page's own name does not.
        let is_hashed = path.starts_with("assets/");
        let caching = if is_hashed {
            "public, max-age=31536000, immutable"
        } else {
            "no-cache"
        };
        let mime = mime_guess::from_path(path).first_or_octet_stream();
        return Ok(HttpResponse::Ok()
            .insert_header((header::CACHE_CONTROL, caching))
            .content_type(mime.as_ref())
            .body(file.data.into_owned()));
    }
    if path.contains('.') {
        return Err(Fault::not_found(request.path()));
    }
    let html = Assets::get("index.html").map(|file| file.data.into_owned());
    Ok(HttpResponse::Ok()
        .insert_header((header::CACHE_CONTROL, "no-cache"))
        .content_type("text/html; charset=utf-8")
        .body(html.unwrap_or_else(|| NOT_BUILT.as_bytes().to_vec())))
}
