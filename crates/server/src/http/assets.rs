//! The embedded frontend.

use actix_web::http::{Method, header};
use actix_web::{HttpRequest, HttpResponse, Resource, guard, web};
use rust_embed::RustEmbed;

use super::error::Fault;
use super::{Service, access};

#[derive(RustEmbed)]
#[folder = "../../frontend/dist"]
struct Assets;

const NOT_BUILT: &str = "<!doctype html><title>grainsheaf</title><p>This binary was built without \
                         the frontend. Build it with <code>make build</code>. The API is at \
                         <code>/api/v1/</code>.";

/// What everybody may have: the page and its files, each by its exact path. Of other methods than
/// `GET` and `HEAD` these paths are unknown here.
pub(super) fn configure(config: &mut web::ServiceConfig) {
    config.service(public("/").to(entrance));
    for name in Assets::iter() {
        let path = format!("/{name}");
        config.service(public(&path).to(move || {
            let name = name.clone();
            async move { file(&name).unwrap_or_else(shell) }
        }));
    }
}

fn public(path: &str) -> Resource {
    web::resource(path).guard(guard::Any(guard::Get()).or(guard::Head()))
}

/// The page, or the sign-in with the link that `serve` printed.
async fn entrance(request: HttpRequest, service: web::Data<Service>) -> HttpResponse {
    if request.method() != Method::GET {
        return shell();
    }
    let entered = access::sign_in(&request, &service).await;
    entered.unwrap_or_else(shell)
}

/// The page under any other path outside of the API: its address holds its state.
pub(super) async fn page(request: HttpRequest) -> Result<HttpResponse, Fault> {
    let path = request.match_info().as_str();
    let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
    if !is_read || path.starts_with("/api/") || path.contains('.') {
        return Err(Fault::not_found(request.path()));
    }
    Ok(shell())
}

fn file(name: &str) -> Option<HttpResponse> {
    let file = Assets::get(name)?;
    // Names of assets hold a hash of their content; the page's own name does not.
    let caching = if name.starts_with("assets/") {
        "public, max-age=31536000, immutable"
    } else {
        "no-cache"
    };
    let mime = mime_guess::from_path(name).first_or_octet_stream();
    Some(
        HttpResponse::Ok()
            .insert_header((header::CACHE_CONTROL, caching))
            .content_type(mime.as_ref())
            .body(file.data.into_owned()),
    )
}

fn shell() -> HttpResponse {
    let html = Assets::get("index.html").map(|file| file.data.into_owned());
    HttpResponse::Ok()
        .insert_header((header::CACHE_CONTROL, "no-cache"))
        .content_type("text/html; charset=utf-8")
        .body(html.unwrap_or_else(|| NOT_BUILT.as_bytes().to_vec()))
}
