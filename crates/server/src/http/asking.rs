//! How a question comes to its answer: in line, in time, on a blocking thread, within a limit of bytes.

use std::future::{Ready, ready};
use std::io::{self, Write};
use std::ops::Deref;

use actix_web::dev::Payload;
use actix_web::http::header;
use actix_web::rt::time::timeout;
use actix_web::{FromRequest, HttpMessage as _, HttpRequest, HttpResponse, web};
use arrow::array::RecordBatch;
use arrow::error::ArrowError;
use serde::{Deserialize, Serialize};
use sheaf_answers::{Format, Tabular};
use sheaf_model::Progress;

use super::Service;
use super::columns::accepts_arrow;
use super::error::ApiError;
use super::queue::Client;
use super::routes::Outcome;
use crate::{Answers, csv, stream};

pub(super) const ARROW: &str = "application/vnd.apache.arrow.stream";

/// The service as one client asks it, about one store, in one form.
pub(super) struct Asking {
    service: web::Data<Service>,
    client: Client,
    /// Receives the steps of a question that this process asks itself; absent for clients.
    progress: Option<Progress>,
    query: CommonQuery,
    pub(super) prefers_arrow: bool,
}

/// Parameters that all questions have. [`Query`](super::query::Query) reports malformed queries.
#[derive(Default, Deserialize)]
struct CommonQuery {
    store: Option<String>,
    format: Option<Format>,
}

impl Deref for Asking {
    type Target = Service;

    fn deref(&self) -> &Service {
        &self.service
    }
}

impl FromRequest for Asking {
    type Error = actix_web::Error;
    type Future = Ready<Result<Self, Self::Error>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let client = Client {
            address: request.peer_addr().map(|peer| peer.ip()),
            is_program: request.headers().contains_key(header::AUTHORIZATION),
        };
        let query = web::Query::from_query(request.query_string());
        let query = query.map(web::Query::into_inner).unwrap_or_default();
        let prefers_arrow = accepts_arrow(request);
        let progress = request.extensions().get::<Progress>().cloned();
        let service = web::Data::<Service>::from_request(request, payload).into_inner();
        ready(service.map(|service| Self {
            service,
            client,
            progress,
            query,
            prefers_arrow,
        }))
    }
}

/// Cancels a question when its client has gone.
struct StopOnDrop(Progress);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

impl Asking {
    /// The same about the store that the body of a request names.
    pub(super) fn in_store(mut self, store: Option<String>) -> Self {
        self.query.store = store;
        self
    }

    /// The form that the request asks for by its parameter.
    pub(super) fn format(&self) -> Option<Format> {
        self.query.format
    }

    /// The answer to a question as JSON.
    pub(super) async fn json<T: Serialize>(
        &self,
        question: impl FnOnce(&Answers) -> Result<T, sheaf_ensemble::Error> + Send + 'static,
    ) -> Outcome {
        let most = self.most_bytes;
        let body = self.respond(move |answers| {
            let answer = question(answers).map_err(|error| ApiError::from_ensemble(&error))?;
            to_json(&answer, most, answers.progress())
        });
        Ok(HttpResponse::Ok()
            .content_type(mime_guess::mime::APPLICATION_JSON)
            .body(self.held.hold(body.await?)))
    }

    /// The answer to a question as a table in the form asked for.
    pub(super) async fn table<T: Serialize + Tabular>(
        &self,
        question: impl FnOnce(&Answers) -> Result<T, sheaf_ensemble::Error> + Send + 'static,
    ) -> Outcome {
        let format = self.query.format.unwrap_or(if self.prefers_arrow {
            Format::Arrow
        } else {
            Format::Json
        });
        let most = self.most_bytes;
        let body = self.respond(move |answers| {
            let answer = question(answers).map_err(|error| ApiError::from_ensemble(&error))?;
            let bytes = match format {
                Format::Json => return to_json(&answer, most, answers.progress()),
                Format::Csv => csv::to_text(&answer.table()).into_bytes(),
                Format::Arrow => arrow(stream::to_batch(&answer.table()))?,
                Format::ArrowExact => arrow(stream::to_exact_batch(&answer.table()))?,
            };
            if bytes.len() > most {
                return Err(ApiError::too_large(most));
            }
            Ok(bytes)
        });
        let body = body.await?;
        Ok(HttpResponse::Ok()
            .content_type(match format {
                Format::Json => "application/json",
                Format::Csv => "text/csv; charset=utf-8",
                Format::Arrow | Format::ArrowExact => ARROW,
            })
            .body(self.held.hold(body)))
    }

    /// Works for an answer when it is the client's turn, and stops at the deadline or when the client is gone: then
    /// this future is dropped.
    pub(super) async fn respond<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Answers) -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let (_, answers) = self.store(self.query.store.as_deref())?;
        let limit = self.deadline;
        let progress = self.progress.clone().unwrap_or_default();
        let stop = StopOnDrop(progress.with_deadline(limit));
        let answers = answers.with_progress(stop.0.clone());
        if self.held.is_full() {
            return Err(ApiError::busy());
        }
        let waiting = self.queue.enter(self.client);
        let waiting = waiting.map_err(|_| ApiError::busy())?;
        let outcome = timeout(limit, async {
            let place = waiting.await;
            web::block(move || {
                // The slot is free when the work has stopped, not when the client has gone.
                let _place = place;
                work(&answers)
            })
            .await
        });
        match outcome.await {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(_)) => Err(ApiError::internal("the question was given up")),
            Err(_) => Err(ApiError::from_ensemble(&sheaf_ensemble::Error::Deadline {
                limit,
            })),
        }
    }
}

/// The bytes of a table as a stream.
fn arrow(batch: Result<RecordBatch, ArrowError>) -> Result<Vec<u8>, ApiError> {
    let bytes = batch.and_then(|batch| stream::to_bytes(&batch));
    bytes.map_err(|error| ApiError::internal(&format!("cannot write Arrow: {error}")))
}

/// Bytes up to a limit, while the question goes on.
struct Bounded<'a> {
    bytes: Vec<u8>,
    most: usize,
    progress: &'a Progress,
    checked: usize,
}

/// Bytes between two looks at whether to go on.
const STEP: usize = 1 << 16;

impl Write for Bounded<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let length = self.bytes.len().saturating_add(bytes.len());
        if length > self.most {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        if length - self.checked > STEP {
            self.checked = length;
            self.progress.check().map_err(io::Error::other)?;
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes an answer as JSON of at most `most` bytes.
pub(super) fn to_json<T: Serialize>(
    answer: &T,
    most: usize,
    progress: &Progress,
) -> Result<Vec<u8>, ApiError> {
    let mut bounded = Bounded {
        bytes: Vec::new(),
        most,
        progress,
        checked: 0,
    };
    match serde_json::to_writer(&mut bounded, answer) {
        Ok(()) => Ok(bounded.bytes),
        Err(error) if error.io_error_kind() == Some(io::ErrorKind::FileTooLarge) => {
            Err(ApiError::too_large(most))
        }
        Err(_) if progress.check().is_err() => {
            let limit = progress.exceeded();
            let error = limit.map_or_else(
                || sheaf_model::Cancelled.into(),
                |limit| sheaf_ensemble::Error::Deadline { limit },
            );
            Err(ApiError::from_ensemble(&error))
        }
        Err(error) => Err(ApiError::internal(&format!("cannot write JSON: {error}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_beyond_the_limit_are_refused() {
        let progress = Progress::silent();
        assert_eq!(to_json(&"four", 6, &progress).unwrap(), b"\"four\"");
        let fault = to_json(&"fours", 6, &progress).unwrap_err();
        assert!(fault.message().contains("more than 6 bytes"), "{fault}");
        assert!(fault.message().contains("limit"), "{fault}");
    }
}
