//! A body on its way to a file: a bounded piece in memory, the rest on disk.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use actix_web::body::{BodyStream, MessageBody};
use actix_web::rt::time::timeout;
use actix_web::web::{self, Bytes, BytesMut};

use crate::imports::{Incoming, Job, Refusal, UploadPath};

/// Bytes that are gathered before they are written.
const PIECE: usize = 256 << 10;

/// How much and how long a refused body is read on: a browser that is cut off in the middle of
/// sending never sees why.
const DRAINED_BYTES: usize = 64 << 20;
const DRAINED_FOR: Duration = Duration::from_secs(5);

/// The body of a request.
pub(super) struct Body {
    stream: Pin<Box<BodyStream<web::Payload>>>,
    is_over: bool,
}

impl Body {
    pub(super) fn new(payload: web::Payload) -> Self {
        Self {
            stream: Box::pin(BodyStream::new(payload)),
            is_over: false,
        }
    }

    /// What arrives next; `None` at the end.
    async fn next(&mut self) -> Result<Option<Bytes>, Refusal> {
        if self.is_over {
            return Ok(None);
        }
        let next = poll_fn(|context| self.stream.as_mut().poll_next(context));
        match next.await {
            Some(Ok(bytes)) => Ok(Some(bytes)),
            None => {
                self.is_over = true;
                Ok(None)
            }
            Some(Err(error)) => {
                self.is_over = true;
                Err(Refusal::BadRequest(format!(
                    "the file did not arrive whole: {error}; send it again"
                )))
            }
        }
    }

    /// Reads on for a while and drops what arrives.
    pub(super) async fn drain(&mut self) {
        let reading = async {
            let mut left = DRAINED_BYTES;
            while let Ok(Some(bytes)) = self.next().await {
                let Some(rest) = left.checked_sub(bytes.len()) else {
                    break;
                };
                left = rest;
            }
        };
        // After that the connection is closed.
        let _ = timeout(DRAINED_FOR, reading).await;
    }
}

/// Writes a body to a file of the import; returns its length. Whatever ends it before, nothing
/// of the file stays.
pub(super) async fn receive(
    job: &Arc<Job>,
    path: UploadPath,
    declared: Option<u64>,
    body: &mut Body,
) -> Result<u64, Refusal> {
    let job = Arc::clone(job);
    let mut incoming = blocking(move || {
        let incoming = job.receive(path)?;
        incoming.check_length(declared.unwrap_or_default())?;
        Ok(incoming)
    })
    .await?;
    loop {
        let mut piece = BytesMut::new();
        let mut is_over = false;
        while piece.len() < PIECE && !is_over {
            match body.next().await? {
                Some(bytes) => piece.extend_from_slice(&bytes),
                None => is_over = true,
            }
        }
        incoming = blocking(move || write(incoming, &piece)).await?;
        if is_over {
            return blocking(move || incoming.keep()).await;
        }
    }
}

fn write(mut incoming: Incoming, piece: &[u8]) -> Result<Incoming, Refusal> {
    incoming.write(piece)?;
    Ok(incoming)
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Refusal> {
    web::block(work)
        .await
        .unwrap_or(Err(Refusal::Internal("the upload was given up")))
}
