//! A connection that loses its place when its client makes no use of it: one that sends the head
//! of a request slowly, takes an answer slowly, or idles.

use std::cell::{Cell, RefCell};
use std::io::{Error, ErrorKind, Result};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use actix_web::rt::net::TcpStream;
use actix_web::rt::time::{Instant, Sleep, sleep};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::admission::Admission;
use super::malformed;

/// How much longer a connection waits than the HTTP layer, which reports the reason to the client.
const LEEWAY: Duration = Duration::from_secs(1);

/// What a connection is doing, as the requests on it report.
#[derive(Default)]
pub(super) struct Activity {
    requests: Cell<usize>,
    begun: Cell<u64>,
    waker: RefCell<Option<Waker>>,
}

/// A request that is being answered; dropping it ends it.
pub(super) struct Answering(Rc<Activity>);

impl Activity {
    pub(super) fn begin(self: &Rc<Self>) -> Answering {
        self.requests.set(self.requests.get() + 1);
        self.begun.set(self.begun.get() + 1);
        Answering(Rc::clone(self))
    }

    fn is_busy(&self) -> bool {
        self.requests.get() > 0
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        let activity = &self.0;
        activity
            .requests
            .set(activity.requests.get().saturating_sub(1));
        if let Some(waker) = activity.waker.take() {
            waker.wake();
        }
    }
}

/// What a connection waits for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// For the first byte of a request.
    Idle,
    /// For the rest of a request's head.
    Receiving,
    /// For the answer.
    Busy,
}

/// A connection with its place among all.
pub(super) struct Connection {
    socket: TcpStream,
    activity: Rc<Activity>,
    patience: Duration,
    phase: Phase,
    begun: u64,
    reading: Pin<Box<Sleep>>,
    writing: Option<Pin<Box<Sleep>>>,
    /// Done when the service stops and has waited for clients that had yet to ask.
    stopped: Pin<Box<dyn Future<Output = ()>>>,
    is_stopped: bool,
    /// What was written in the name of the HTTP layer, and how much of it has left.
    pending: Vec<u8>,
    _admission: Admission,
}

impl Connection {
    pub(super) fn new(
        socket: TcpStream,
        admission: Admission,
        patience: Duration,
        stopped: Pin<Box<dyn Future<Output = ()>>>,
    ) -> Self {
        Self {
            socket,
            activity: Rc::default(),
            patience,
            phase: Phase::Idle,
            begun: 0,
            reading: Box::pin(sleep(patience + LEEWAY)),
            writing: None,
            stopped,
            is_stopped: false,
            pending: Vec::new(),
            _admission: admission,
        }
    }

    pub(super) fn activity(&self) -> &Rc<Activity> {
        &self.activity
    }

    fn enter(&mut self, phase: Phase) {
        self.phase = phase;
        let deadline = Instant::now() + self.patience + LEEWAY;
        self.reading.as_mut().reset(deadline);
    }

    /// Notes which requests began and ended since the last call.
    fn follow_requests(&mut self) {
        let begun = self.activity.begun.get();
        if self.activity.is_busy() {
            self.phase = Phase::Busy;
        } else if self.phase == Phase::Busy || begun != self.begun {
            self.enter(Phase::Idle);
        }
        self.begun = begun;
    }

    /// Whether to end a connection on which nothing arrives now.
    fn is_given_up(&mut self, context: &mut Context<'_>) -> bool {
        *self.activity.waker.borrow_mut() = Some(context.waker().clone());
        if !self.is_stopped && self.stopped.as_mut().poll(context).is_ready() {
            self.is_stopped = true;
        }
        match self.phase {
            Phase::Busy => false,
            Phase::Idle if self.is_stopped => true,
            Phase::Idle | Phase::Receiving => self.reading.as_mut().poll(context).is_ready(),
        }
    }

    /// Fails when the client has taken nothing for too long.
    fn poll_stalled<T>(&mut self, context: &mut Context<'_>) -> Poll<Result<T>> {
        let patience = self.patience + LEEWAY;
        let writing = self
            .writing
            .get_or_insert_with(|| Box::pin(sleep(patience)));
        if writing.as_mut().poll(context).is_pending() {
            return Poll::Pending;
        }
        let reason = "the client takes nothing of the answer";
        Poll::Ready(Err(Error::new(ErrorKind::TimedOut, reason)))
    }

    /// Writes what is pending.
    fn poll_pending(&mut self, context: &mut Context<'_>) -> Poll<Result<()>> {
        while !self.pending.is_empty() {
            match Pin::new(&mut self.socket).poll_write(context, &self.pending) {
                Poll::Ready(Ok(0)) => return Poll::Ready(Err(ErrorKind::WriteZero.into())),
                Poll::Ready(Ok(count)) => drop(self.pending.drain(..count)),
                Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
                Poll::Pending => return self.poll_stalled(context),
            }
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<Result<()>> {
        self.follow_requests();
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.socket).poll_read(context, buffer);
        if read.is_ready() {
            if buffer.filled().len() > before && self.phase == Phase::Idle {
                self.enter(Phase::Receiving);
            }
            return read;
        }
        if self.is_given_up(context) {
            // As if the client had closed it.
            return Poll::Ready(Ok(()));
        }
        Poll::Pending
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<Result<usize>> {
        if self.poll_pending(context)?.is_pending() {
            return Poll::Pending;
        }
        if let Some(complete) = malformed::complete(bytes) {
            self.pending = complete;
            return Poll::Ready(Ok(bytes.len()));
        }
        match Pin::new(&mut self.socket).poll_write(context, bytes) {
            Poll::Pending => self.poll_stalled(context),
            written @ Poll::Ready(_) => {
                self.writing = None;
                written
            }
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        if self.poll_pending(context)?.is_pending() {
            return Poll::Pending;
        }
        Pin::new(&mut self.socket).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        if self.poll_pending(context)?.is_pending() {
            return Poll::Pending;
        }
        Pin::new(&mut self.socket).poll_shutdown(context)
    }
}
