//! The embedded frontend.

use actix_web::http::{Method, header};
use actix_web::{HttpRequest, HttpResponse, Resource, guard, web};
use rust_embed::RustEmbed;

use super::error::ApiError;
use super::{Service, access};

#[derive(RustEmbed)]
#[folder = "../../frontend/dist"]
struct Assets;

/// Ending of the files that the build of the frontend has compressed in advance.
const COMPRESSED: &str = ".gz";

const NOT_BUILT: &str = "<!doctype html><title>grainsheaf</title><p>This binary was built without \
                         the frontend. Build it with <code>make build</code>. The API is at \
                         <code>/api/v1/</code>.";

/// The template of reports; nothing without the built frontend.
pub(crate) fn report_template() -> Option<String> {
    let file = Assets::get("report.html")?;
    Some(String::from_utf8_lossy(&file.data).into_owned())
}

/// What everybody may have: the page and its files, each by its exact path. Of other methods than
/// `GET` and `HEAD` these paths are unknown here.
pub(super) fn configure(config: &mut web::ServiceConfig) {
    config.service(public("/").to(entrance));
    for name in Assets::iter().filter(|name| !name.ends_with(COMPRESSED)) {
        let path = format!("/{name}");
        config.service(public(&path).to(move |request: HttpRequest| {
            let name = name.clone();
            async move { file(&request, &name).unwrap_or_else(|| shell(&request)) }
        }));
    }
}

fn public(path: &str) -> Resource {
    web::resource(path).guard(guard::Any(guard::Get()).or(guard::Head()))
}

/// The page, or the sign-in with the link that `serve` printed.
async fn entrance(request: HttpRequest, service: web::Data<Service>) -> HttpResponse {
    if request.method() != Method::GET {
        return shell(&request);
    }
    let entered = access::sign_in(&request, &service).await;
    entered.unwrap_or_else(|| shell(&request))
}

/// The page under any other path outside of the API: its address holds its state.
pub(super) async fn page(request: HttpRequest) -> Result<HttpResponse, ApiError> {
    let path = request.match_info().as_str();
    let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
    if !is_read || path.starts_with("/api/") || path.contains('.') {
        return Err(ApiError::not_found(request.path()));
    }
    Ok(shell(&request))
}

fn file(request: &HttpRequest, name: &str) -> Option<HttpResponse> {
    let compressed = Assets::get(&format!("{name}{COMPRESSED}"));
    let compressed = compressed.filter(|_| accepts_gzip(request));
    let is_compressed = compressed.is_some();
    let file = compressed.or_else(|| Assets::get(name))?;
    // Names of assets hold a hash of their content; the page's own name does not.
    let caching = if name.starts_with("assets/") {
        "public, max-age=31536000, immutable"
    } else {
        "no-cache"
    };
    let mime = mime_guess::from_path(name).first_or_octet_stream();
    let mut answer = HttpResponse::Ok();
    answer
        .insert_header((header::CACHE_CONTROL, caching))
        .insert_header((header::VARY, "accept-encoding"))
        .content_type(mime.as_ref());
    if is_compressed {
        answer.insert_header((header::CONTENT_ENCODING, "gzip"));
    }
    Some(answer.body(file.data.into_owned()))
}

fn accepts_gzip(request: &HttpRequest) -> bool {
    let accepted = request.headers().get(header::ACCEPT_ENCODING);
    let accepted = accepted.and_then(|value| value.to_str().ok());
    accepted.is_some_and(|text| {
        text.split(',').any(|coding| {
            let (name, weight) = coding.split_once(';').unwrap_or((coding, ""));
            name.trim().eq_ignore_ascii_case("gzip") && weight.trim() != "q=0"
        })
    })
}

/// The page. Its files are relative to it, so that under any path they are those below the base path.
fn shell(request: &HttpRequest) -> HttpResponse {
    let base = access::caller(request).map(|caller| caller.base.outer("/"));
    let base = base.unwrap_or_else(|| "/".to_owned());
    let html = Assets::get("index.html").map(|file| {
        let html = String::from_utf8_lossy(&file.data);
        html.replace("=\"./", &format!("=\"{base}")).into_bytes()
    });
    HttpResponse::Ok()
        .insert_header((header::CACHE_CONTROL, "no-cache"))
        .content_type("text/html; charset=utf-8")
        .body(html.unwrap_or_else(|| NOT_BUILT.as_bytes().to_vec()))
}
