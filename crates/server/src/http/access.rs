//! Who may ask: host, origin and token.

use actix_web::body::{BoxBody, MessageBody};
use actix_web::cookie::{Cookie, SameSite};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header;
use actix_web::middleware::Next;
use actix_web::rt::time::sleep;
use actix_web::{HttpMessage as _, HttpRequest, HttpResponse, ResponseError as _, web};
use subtle::ConstantTimeEq;

use super::Service;
use super::access_log::is_token;
use super::caller::Caller;
use super::error::ApiError;

/// What a request shows for a token.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shown {
    Nothing,
    Wrong,
    Right,
}

/// Lets a request pass when its host and origin are right.
pub(super) async fn check(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, actix_web::Error> {
    let checked = match (caller(request.request()), service(&request)) {
        (Some(caller), Some(service)) => {
            check_host(&caller, service).and_then(|()| check_origin(request.request(), &caller))
        }
        _ => Err(not_set_up()),
    };
    match checked {
        Ok(()) => Ok(next.call(request).await?.map_into_boxed_body()),
        Err(fault) => Ok(request.into_response(fault.error_response())),
    }
}

/// Lets a request pass that shows the token; answers one with a wrong token after a while.
pub(super) async fn check_token(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, actix_web::Error> {
    let checked = match (caller(request.request()), service(&request)) {
        (Some(caller), Some(service)) => demand_token(request.request(), &caller, service).await,
        _ => Err(not_set_up()),
    };
    match checked {
        Ok(()) => Ok(next.call(request).await?.map_into_boxed_body()),
        Err(fault) => Ok(request.into_response(fault.error_response())),
    }
}

/// Answers a request whose target is not a path.
pub(super) async fn unknown_target(
    request: HttpRequest,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let caller = caller(&request).ok_or_else(not_set_up)?;
    demand_token(&request, &caller, &service).await?;
    Err(ApiError::not_found(request.path()))
}

/// Signs a person in who opens `/?token=T` with the right token, which becomes a cookie and leaves
/// the address bar; `None` for every other request.
pub(super) async fn sign_in(request: &HttpRequest, service: &Service) -> Option<HttpResponse> {
    let token = service.token.as_deref()?;
    let caller = caller(request)?;
    let given = token_of_query(request)?;
    if is_same(token, &given) {
        return Some(enter(request, &caller, &given));
    }
    sleep(service.failures.note(caller.address)).await;
    None
}

fn service(request: &ServiceRequest) -> Option<&web::Data<Service>> {
    request.app_data()
}

pub(super) fn caller(request: &HttpRequest) -> Option<Caller> {
    request.extensions().get().cloned()
}

fn not_set_up() -> ApiError {
    ApiError::internal("the service is not configured")
}

async fn demand_token(
    request: &HttpRequest,
    caller: &Caller,
    service: &Service,
) -> Result<(), ApiError> {
    match shown(request, caller, service) {
        Shown::Right => return Ok(()),
        Shown::Wrong => sleep(service.failures.note(caller.address)).await,
        Shown::Nothing => {}
    }
    Err(ApiError::unauthorised())
}

/// Refuses names that another page could have pointed at this address.
fn check_host(caller: &Caller, service: &Service) -> Result<(), ApiError> {
    let host = &caller.host;
    let is_ours = host.is_loopback() || host.is_address(service.bind);
    // Which names reach a trusted proxy, it decides. Bound to every address, the service cannot
    // know its names. In both cases the token stands alone.
    if is_ours || caller.is_host_forwarded || service.bind.is_unspecified() {
        return Ok(());
    }
    Err(ApiError::forbidden(format!(
        "host `{host}` is not served here; use `localhost`"
    )))
}

fn check_origin(request: &HttpRequest, caller: &Caller) -> Result<(), ApiError> {
    for origin in request.headers().get_all(header::ORIGIN) {
        let origin = String::from_utf8_lossy(origin.as_bytes());
        if !caller.is_own_origin(&origin) {
            let shown = origin.escape_debug();
            return Err(ApiError::forbidden(format!(
                "origin `{shown}` may not ask this service"
            )));
        }
    }
    Ok(())
}

fn token_of_query(request: &HttpRequest) -> Option<String> {
    let query = web::Query::<Vec<(String, String)>>::from_query(request.query_string()).ok()?;
    query
        .0
        .into_iter()
        .find(|(key, _)| key == "token")
        .map(|(_, token)| token)
}

fn enter(request: &HttpRequest, caller: &Caller, token: &str) -> HttpResponse {
    let kept: Vec<_> = request
        .query_string()
        .split('&')
        .filter(|part| !is_token(part.split('=').next().unwrap_or_default()))
        .collect();
    let query = kept.join("&");
    let target = caller.base.outer(&if query.is_empty() {
        "/".to_owned()
    } else {
        format!("/?{query}")
    });
    let cookie = Cookie::build(caller.cookie_name(), token)
        .path(caller.base.outer("/"))
        .http_only(true)
        .secure(caller.is_secure)
        .same_site(SameSite::Strict)
        .finish();
    HttpResponse::SeeOther()
        .cookie(cookie)
        .insert_header((header::LOCATION, target))
        .insert_header((header::CACHE_CONTROL, "no-store"))
        .finish()
}

fn shown(request: &HttpRequest, caller: &Caller, service: &Service) -> Shown {
    let Some(token) = &service.token else {
        return Shown::Right;
    };
    let bearer = request.headers().get(header::AUTHORIZATION).map(|value| {
        value
            .as_bytes()
            .strip_prefix(b"Bearer ")
            .unwrap_or_default()
    });
    let cookie = request.cookie(&caller.cookie_name());
    let given = [
        bearer,
        cookie.as_ref().map(|cookie| cookie.value().as_bytes()),
    ];
    let is_right = |given: &[u8]| bool::from(token.as_bytes().ct_eq(given));
    if given.iter().flatten().any(|given| is_right(given)) {
        Shown::Right
    } else if given.iter().flatten().next().is_some() {
        Shown::Wrong
    } else {
        Shown::Nothing
    }
}

fn is_same(token: &str, given: &str) -> bool {
    token.as_bytes().ct_eq(given.as_bytes()).into()
}
