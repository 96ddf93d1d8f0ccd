//! What surrounds every request: who asks, the pace of its body, its place in the access log, and
//! the note to its connection that it is being answered.

use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};
use std::time::Instant;

use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::ConnectionType;
use actix_web::middleware::Next;
use actix_web::web::{self, Bytes};
use actix_web::{HttpMessage as _, ResponseError as _};

use super::Service;
use super::access_log::Entry;
use super::caller::Caller;
use super::connection::{Activity, Answering};
use super::error::ApiError;
use super::pace::Paced;

/// Reads who asks, lets the request pass, and follows its answer to the end.
pub(super) async fn observe(
    mut request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, actix_web::Error> {
    let begun = Instant::now();
    let answering = request.conn_data::<Rc<Activity>>().map(Activity::begin);
    let Some(service) = request.app_data::<web::Data<Service>>().cloned() else {
        let fault = ApiError::internal("the service is not configured");
        return Ok(request.into_response(fault.error_response()));
    };
    let caller = Caller::read(request.request(), &service.proxies, &service.base_path);
    let mut entry = service.access_log.is_some().then(|| entry(&request));
    if let (Some(entry), Ok(caller)) = (&mut entry, &caller) {
        entry.client = (caller.address != caller.peer).then(|| caller.address.to_string());
    }
    let body = request.take_payload();
    request.set_payload(Paced::pace(body, service.patience));
    let mut response = match caller {
        Ok(caller) => {
            caller.base.strip(&mut request);
            request.extensions_mut().insert(caller);
            next.call(request).await?.map_into_boxed_body()
        }
        Err(fault) => request.into_response(fault.error_response()),
    };
    if service.is_stopping() {
        let head = response.response_mut().head_mut();
        head.set_connection_type(ConnectionType::Close);
    }
    if let Some(entry) = &mut entry {
        entry.status = response.status().as_u16();
    }
    let following = Following {
        service,
        entry,
        begun,
        _answering: answering,
    };
    Ok(response.map_body(|_, body| BoxBody::new(Followed { body, following })))
}

fn entry(request: &ServiceRequest) -> Entry {
    let target = request.uri().path_and_query();
    let target = target.map_or_else(|| request.uri().path(), |target| target.as_str());
    let mut entry = Entry::new(request.method().as_str(), target);
    let peer = request.peer_addr();
    entry.peer = peer.map(|peer| peer.to_string()).unwrap_or_default();
    entry
}

/// A body on its way out.
struct Followed {
    body: BoxBody,
    following: Following,
}

/// What is known of an answer; the line of the access log is written when it is dropped.
struct Following {
    service: web::Data<Service>,
    entry: Option<Entry>,
    begun: Instant,
    _answering: Option<Answering>,
}

impl MessageBody for Followed {
    type Error = <BoxBody as MessageBody>::Error;

    fn size(&self) -> BodySize {
        self.body.size()
    }

    fn poll_next(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Self::Error>>> {
        let next = Pin::new(&mut self.body).poll_next(context);
        if let Some(entry) = &mut self.following.entry {
            match &next {
                Poll::Ready(Some(Ok(bytes))) => entry.bytes += bytes.len() as u64,
                Poll::Ready(None) => entry.is_complete = true,
                Poll::Ready(Some(Err(_))) | Poll::Pending => {}
            }
        }
        next
    }
}

impl Drop for Followed {
    fn drop(&mut self) {
        let is_empty = matches!(self.body.size(), BodySize::None | BodySize::Sized(0));
        if let Some(entry) = &mut self.following.entry {
            entry.is_complete |= is_empty;
        }
    }
}

impl Drop for Following {
    fn drop(&mut self) {
        if let (Some(mut entry), Some(log)) = (self.entry.take(), &self.service.access_log) {
            let micros = self.begun.elapsed().as_micros();
            entry.duration_ms = u32::try_from(micros).map_or(f64::INFINITY, f64::from) / 1000.0;
            log.write(entry);
        }
    }
}
