//! The pace at which the body of a request has to arrive.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use actix_web::dev::Payload;
use actix_web::error::PayloadError;
use actix_web::rt::time::{Instant, Sleep, sleep_until};
use actix_web::web::Bytes;
use futures_core::Stream;

/// Bytes per second that a sender has to keep up on average, after its first silence.
const MIN_RATE: u64 = 1024;

/// A body that ends with an error if its sender is silent for too long, or slow on the whole. What
/// we take to use the bytes is not counted.
pub(super) struct Paced {
    body: Payload,
    patience: Duration,
    /// Since when the sender is awaited, if it is.
    awaited: Option<Instant>,
    deadline: Pin<Box<Sleep>>,
    /// How long it was awaited before.
    waited: Duration,
    bytes: u64,
}

impl Paced {
    /// `body`, if there is any, as such a body.
    pub(super) fn pace(body: Payload, patience: Duration) -> Payload {
        if matches!(body, Payload::None) {
            return body;
        }
        Payload::Stream {
            payload: Box::pin(Self {
                body,
                patience,
                awaited: None,
                deadline: Box::pin(sleep_until(Instant::now() + patience)),
                waited: Duration::ZERO,
                bytes: 0,
            }),
        }
    }

    /// For how much longer the sender may be awaited, on the whole.
    fn credit(&self) -> Duration {
        let earned = Duration::from_millis(self.bytes.saturating_mul(1000) / MIN_RATE);
        (self.patience + earned).saturating_sub(self.waited)
    }

    fn give_up(&self) -> PayloadError {
        let message = if self.credit() < self.patience {
            format!("it arrives slower than `{MIN_RATE}` bytes per second")
        } else {
            let seconds = self.patience.as_secs();
            format!("nothing of it arrived for `{seconds}` seconds")
        };
        PayloadError::Io(io::Error::new(io::ErrorKind::TimedOut, message))
    }
}

impl Stream for Paced {
    type Item = Result<Bytes, PayloadError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let next = Pin::new(&mut self.body).poll_next(context);
        if let Poll::Ready(next) = next {
            if let Some(since) = self.awaited.take() {
                self.waited += since.elapsed();
            }
            if let Some(Ok(bytes)) = &next {
                self.bytes += bytes.len() as u64;
            }
            return Poll::Ready(next);
        }
        if self.awaited.is_none() {
            let now = Instant::now();
            self.awaited = Some(now);
            let deadline = now + self.patience.min(self.credit());
            self.deadline.as_mut().reset(deadline);
        }
        if self.deadline.as_mut().poll(context).is_pending() {
            return Poll::Pending;
        }
        Poll::Ready(Some(Err(self.give_up())))
    }
}
