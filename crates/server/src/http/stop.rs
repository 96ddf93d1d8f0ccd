//! The end of the service: at the first signal it finishes what is under way, at the second it does
//! not.

use std::io;
use std::net::TcpListener;
use std::task::{Context, Poll};
use std::time::Duration;

use actix_web::rt::System;
use actix_web::rt::signal::unix::{Signal, SignalKind, signal};
use actix_web::rt::time::{Instant, sleep_until};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::listen::Worker;

/// How long requests in flight are waited for.
const GRACE: Duration = Duration::from_secs(30);

/// How the service ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// All requests in flight were answered.
    Finished,
    /// Requests were cut off: a second signal came, or they took too long.
    CutOff,
}

/// The signals that ask to stop.
pub(super) struct Signals {
    interrupt: Signal,
    terminate: Signal,
}

impl Signals {
    /// From now on they do not end the process.
    ///
    /// # Errors
    /// If the system refuses the handlers.
    pub(super) fn watch() -> io::Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let is_interrupted = self.interrupt.poll_recv(context).is_ready();
        if is_interrupted || self.terminate.poll_recv(context).is_ready() {
            return Poll::Ready(());
        }
        Poll::Pending
    }
}

/// The threads that answer requests. They are never joined: a question that goes on must not keep
/// the process from ending.
pub(super) struct Workers {
    running: usize,
    outcomes: UnboundedReceiver<io::Result<()>>,
    report: UnboundedSender<io::Result<()>>,
}

impl Default for Workers {
    fn default() -> Self {
        let (report, outcomes) = unbounded_channel();
        Self {
            running: 0,
            outcomes,
            report,
        }
    }
}

impl Workers {
    /// Starts a thread.
    ///
    /// # Errors
    /// If the system has none.
    pub(super) fn start(&mut self, worker: Worker, listener: TcpListener) -> io::Result<()> {
        let report = self.report.clone();
        let name = format!("http {}", self.running);
        std::thread::Builder::new().name(name).spawn(move || {
            let outcome = System::new().block_on(worker.run(listener));
            // The work on other threads that it began has ended, too. Nobody listens any more if the
            // service is ending at once.
            let _ = report.send(outcome);
        })?;
        self.running += 1;
        Ok(())
    }
}

/// Waits for a signal, calls `stop`, and waits for the threads to end.
///
/// # Errors
/// If a thread ended with an error.
pub(super) async fn until_ended(
    mut signals: Signals,
    mut workers: Workers,
    stop: impl FnOnce(),
) -> io::Result<Ended> {
    let mut stop = Some(stop);
    let mut deadline = Box::pin(sleep_until(Instant::now()));
    std::future::poll_fn(move |context| {
        if signals.poll(context).is_ready() {
            let Some(stop) = stop.take() else {
                return Poll::Ready(Ok(Ended::CutOff));
            };
            stop();
            deadline.as_mut().reset(Instant::now() + GRACE);
            // Asks to be woken at the next signal.
            if signals.poll(context).is_ready() {
                return Poll::Ready(Ok(Ended::CutOff));
            }
        }
        while let Poll::Ready(Some(outcome)) = workers.outcomes.poll_recv(context) {
            workers.running -= 1;
            if let Err(error) = outcome {
                return Poll::Ready(Err(error));
            }
        }
        if workers.running == 0 {
            return Poll::Ready(Ok(Ended::Finished));
        }
        if stop.is_none() && deadline.as_mut().poll(context).is_ready() {
            let seconds = GRACE.as_secs();
            tracing::warn!(seconds, "requests took too long to be finished");
            return Poll::Ready(Ok(Ended::CutOff));
        }
        Poll::Pending
    })
    .await
}
