//! How far an import is, as server-sent events.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use actix_web::body::{BodySize, MessageBody};
use actix_web::rt::time::{Interval, interval};
use actix_web::web::{self, Bytes};
use sheaf_answers::ImportProgress;

use crate::http::Service;
use crate::http::limit::Place;
use crate::imports::{Job, is_over};

/// How often the import is looked at.
const TICK: Duration = Duration::from_millis(100);

/// Number of ticks without a change after which a comment keeps the connection alive.
const QUIET_TICKS: u32 = 150;

/// The body of an answer that goes on until the import has ended or the service stops.
pub(super) struct Events {
    service: web::Data<Service>,
    job: Arc<Job>,
    ticks: Interval,
    last: Option<ImportProgress>,
    quiet: u32,
    is_over: bool,
    _place: Place,
}

impl Events {
    pub(super) fn new(service: web::Data<Service>, job: Arc<Job>, place: Place) -> Self {
        Self {
            service,
            job,
            ticks: interval(TICK),
            last: None,
            quiet: 0,
            is_over: false,
            _place: place,
        }
    }

    /// What is to be sent at this tick, if anything.
    fn tick(&mut self) -> Option<Bytes> {
        let now = self.service.imports.progress(&self.job);
        self.is_over = is_over(now.state) || self.service.imports.is_stopping();
        if self.last.as_ref() == Some(&now) {
            self.quiet += 1;
            let is_due = self.quiet >= QUIET_TICKS;
            return is_due.then(|| {
                self.quiet = 0;
                Bytes::from_static(b":\n\n")
            });
        }
        let data = serde_json::to_string(&now).unwrap_or_default();
        self.last = Some(now);
        self.quiet = 0;
        Some(Bytes::from(format!("event: progress\ndata: {data}\n\n")))
    }
}

impl MessageBody for Events {
    type Error = Infallible;

    fn size(&self) -> BodySize {
        BodySize::Stream
    }

    fn poll_next(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Infallible>>> {
        while !self.is_over {
            ready!(self.ticks.poll_tick(context));
            if let Some(event) = self.tick() {
                return Poll::Ready(Some(Ok(event)));
            }
        }
        Poll::Ready(None)
    }
}
