//! Who may ask: token, host and origin; and the headers that keep a page to itself.

use actix_web::body::{BoxBody, MessageBody};
use actix_web::cookie::{Cookie, SameSite};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header;
use actix_web::middleware::{DefaultHeaders, Next};
use actix_web::{HttpRequest, HttpResponse, ResponseError as _, web};
use subtle::ConstantTimeEq;

use super::Service;
use super::error::Fault;

/// Lets a request pass when its host and origin are right.
pub(super) async fn check(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, actix_web::Error> {
    let Some(service) = request.app_data::<web::Data<Service>>().cloned() else {
        return Err(Fault::internal("service is not configured").into());
    };
    check_host(request.request(), &service)?;
    check_origin(request.request())?;
    Ok(next.call(request).await?.map_into_boxed_body())
}

/// Lets a request pass that shows the token.
pub(super) async fn check_token(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, actix_web::Error> {
    let is_allowed = request
        .app_data::<web::Data<Service>>()
        .is_some_and(|service| has_token(request.request(), service));
    if !is_allowed {
        let response = Fault::unauthorised().error_response();
        return Ok(request.into_response(response));
    }
    Ok(next.call(request).await?.map_into_boxed_body())
}

/// Answers a request whose target is not a path.
pub(super) async fn unknown_target(
    request: HttpRequest,
    service: web::Data<Service>,
) -> Result<HttpResponse, Fault> {
    if has_token(&request, &service) {
        Err(Fault::not_found(request.path()))
    } else {
        Err(Fault::unauthorised())
    }
}

/// Signs a person in who opens `/?token=T` with the right token, which becomes a cookie and leaves
/// the address bar; `None` for every other request.
pub(super) fn sign_in(request: &HttpRequest, service: &Service) -> Option<HttpResponse> {
    let token = service.token.as_deref()?;
    let given = token_of_query(request)?;
    is_same(token, &given).then(|| enter(request, &given))
}

/// Headers of every answer.
pub(super) fn security_headers() -> DefaultHeaders {
    DefaultHeaders::new()
        .add((
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; \
             font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; \
             frame-ancestors 'none'",
        ))
        .add(("X-Content-Type-Options", "nosniff"))
        .add(("Referrer-Policy", "no-referrer"))
        .add(("Cross-Origin-Opener-Policy", "same-origin"))
        .add(("Cross-Origin-Resource-Policy", "same-origin"))
}

/// Refuses names that another page could have pointed at this address.
fn check_host(request: &HttpRequest, service: &Service) -> Result<(), Fault> {
    let host = request.connection_info().host().to_owned();
    let name = host_name(&host);
    let is_loopback = matches!(name, "localhost" | "127.0.0.1" | "[::1]");
    let is_bound = name.trim_matches(['[', ']']) == service.bind.to_string();
    // Bound to every address, the service cannot know its names; the token then stands alone.
    if is_loopback || is_bound || service.bind.is_unspecified() {
        return Ok(());
    }
    Err(Fault::forbidden(format!(
        "host `{host}` is not served here; use `localhost`"
    )))
}

fn check_origin(request: &HttpRequest) -> Result<(), Fault> {
    let Some(origin) = request.headers().get(header::ORIGIN) else {
        return Ok(());
    };
    let origin = origin.to_str().unwrap_or_default();
    let host = request.connection_info().host().to_owned();
    let own = origin
        .strip_prefix("http://")
        .or_else(|| origin.strip_prefix("https://"));
    if own == Some(host.as_str()) {
        return Ok(());
    }
    Err(Fault::forbidden(format!(
        "origin `{origin}` may not ask this service"
    )))
}

fn host_name(host: &str) -> &str {
    match host.rfind(':') {
        Some(colon) if !host[colon..].contains(']') => &host[..colon],
        _ => host,
    }
}

fn token_of_query(request: &HttpRequest) -> Option<String> {
    let query = web::Query::<Vec<(String, String)>>::from_query(request.query_string()).ok()?;
    query
        .0
        .into_iter()
        .find(|(key, _)| key == "token")
        .map(|(_, token)| token)
}

fn enter(request: &HttpRequest, token: &str) -> HttpResponse {
    let kept: Vec<_> = request
        .query_string()
        .split('&')
        .filter(|part| !part.starts_with("token="))
        .collect();
    let query = kept.join("&");
    let target = if query.is_empty() {
        "/".to_owned()
    } else {
        format!("/?{query}")
    };
    let cookie = Cookie::build(cookie_name(request), token)
        .path("/")
        .http_only(true)
        .same_site(SameSite::Strict)
        .finish();
    HttpResponse::SeeOther()
        .cookie(cookie)
        .insert_header((header::LOCATION, target))
        .insert_header((header::CACHE_CONTROL, "no-store"))
        .finish()
}

/// Browsers share cookies between the ports of a host, so the name holds the port.
fn cookie_name(request: &HttpRequest) -> String {
    let host = request.connection_info().host().to_owned();
    let port = host.rsplit_once(':').map_or("80", |(_, port)| port);
    let port: String = port.chars().filter(char::is_ascii_digit).collect();
    format!("grainsheaf_{port}")
}

fn has_token(request: &HttpRequest, service: &Service) -> bool {
    let Some(token) = &service.token else {
        return true;
    };
    let bearer = request
        .headers()
        .get(header::AUTHORIZATION)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.strip_prefix("Bearer "));
    let cookie = request.cookie(&cookie_name(request));
    bearer.is_some_and(|given| is_same(token, given))
        || cookie.is_some_and(|given| is_same(token, given.value()))
}

fn is_same(token: &str, given: &str) -> bool {
    token.as_bytes().ct_eq(given.as_bytes()).into()
}
