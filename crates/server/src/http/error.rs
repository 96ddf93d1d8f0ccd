//! Kinds of errors to status codes and wire bodies, in this one place.

use std::fmt;

use actix_web::error::JsonPayloadError;
use actix_web::http::StatusCode;
use actix_web::{HttpResponse, ResponseError, web};
use sheaf_answers::{ErrorBody, ErrorCode};
use sheaf_ensemble::ErrorKind;

use crate::imports::Refusal;

/// Bytes of a JSON body.
const MAX_BODY: usize = 1 << 20;

/// An error on its way to the client.
#[derive(Debug)]
pub(crate) struct ApiError {
    body: ErrorBody,
}

impl ApiError {
    fn new(code: ErrorCode, message: impl Into<String>, hint: Option<&str>) -> Self {
        let hint = hint.map(str::to_owned);
        Self {
            body: ErrorBody {
                code,
                message: message.into(),
                hint,
                position: None,
            },
        }
    }

    pub(crate) fn unauthorised() -> Self {
        let hint =
            "open the link that `grainsheaf serve` printed, or send `Authorization: Bearer TOKEN`";
        Self::new(
            ErrorCode::Unauthorised,
            "the token is missing or wrong",
            Some(hint),
        )
    }

    pub(crate) fn forbidden(message: String) -> Self {
        Self::new(ErrorCode::Forbidden, message, None)
    }

    pub(crate) fn internal(message: &str) -> Self {
        Self::new(
            ErrorCode::Internal,
            message,
            Some("please report this with the lens"),
        )
    }

    #[cfg(test)]
    pub(super) fn message(&self) -> &str {
        &self.body.message
    }

    pub(crate) fn bad_request(message: String) -> Self {
        Self::new(ErrorCode::BadRequest, message, None)
    }

    pub(crate) fn read_only() -> Self {
        Self::new(
            ErrorCode::ReadOnly,
            "the service is read-only, so the store cannot be changed through it",
            Some("change the store on the command line, or serve it without `--read-only`"),
        )
    }

    pub(crate) fn bad_lens(error: &sheaf_model::ParseError) -> Self {
        let mut fault = Self::new(ErrorCode::BadLens, error.to_string(), None);
        fault.body.position = u32::try_from(error.position).ok();
        fault
    }

    pub(crate) fn not_found(path: &str) -> Self {
        let hint = "routes are listed at `/api/v1/openapi.json`";
        Self::new(
            ErrorCode::NotFound,
            format!("no route `{path}`"),
            Some(hint),
        )
    }

    pub(crate) fn unknown_store(name: &str, known: &[String]) -> Self {
        let message = format!("no store `{name}`; served are {}", known.join(", "));
        Self::new(ErrorCode::Unknown, message, None)
    }

    pub(crate) fn busy() -> Self {
        Self::new(
            ErrorCode::Busy,
            "the service is at its limit",
            Some("retry in a second"),
        )
    }

    pub(crate) fn too_large(most: usize) -> Self {
        let message = format!(
            "the answer has more than {most} bytes; ask for fewer rows with `limit` and `offset` where the route \
             has them, or about fewer groups"
        );
        Self::new(ErrorCode::AnswerTooLarge, message, None)
    }

    pub(crate) fn into_body(self) -> ErrorBody {
        self.body
    }

    pub(crate) fn from_refusal(refusal: &Refusal) -> Self {
        let (code, hint) = match refusal {
            Refusal::Ensemble(error) => return Self::from_ensemble(error),
            Refusal::ReadOnly(_) => (ErrorCode::ReadOnly, Some("add files with `grainsheaf add`")),
            Refusal::Unknown(_) => (ErrorCode::Unknown, None),
            Refusal::BadPath(_) | Refusal::BadRequest(_) => (ErrorCode::BadRequest, None),
            Refusal::Conflict(_) => (ErrorCode::Conflict, None),
            Refusal::TooLarge(_) => (ErrorCode::TooLarge, None),
            Refusal::TooManyImports | Refusal::TooManyFiles(_) | Refusal::TooManyWatchers(_) => {
                (ErrorCode::TooMany, Some("retry in a few seconds"))
            }
            Refusal::Stopping => (ErrorCode::Busy, None),
            Refusal::Io { .. } => (ErrorCode::Store, Some("is the disk full?")),
            Refusal::Internal(_) => (ErrorCode::Internal, None),
        };
        if matches!(code, ErrorCode::Store | ErrorCode::Internal) {
            tracing::error!(error = %refusal, "import failed");
        }
        Self::new(code, refusal.to_string(), hint)
    }

    pub(crate) fn from_ensemble(error: &sheaf_ensemble::Error) -> Self {
        let code = match error.kind() {
            ErrorKind::Usage => ErrorCode::BadRequest,
            ErrorKind::BadLens => ErrorCode::BadLens,
            ErrorKind::Unknown => ErrorCode::Unknown,
            ErrorKind::EmptyEnsemble => ErrorCode::EmptyEnsemble,
            ErrorKind::NothingInCommon => ErrorCode::NothingInCommon,
            ErrorKind::Busy => ErrorCode::Busy,
            ErrorKind::Store | ErrorKind::NoSpace | ErrorKind::Permission | ErrorKind::System => {
                ErrorCode::Store
            }
            ErrorKind::Gone => ErrorCode::StoreGone,
            ErrorKind::Damage => ErrorCode::Damage,
            // The client of a cancelled question has gone.
            ErrorKind::TooLarge => ErrorCode::AnswerTooLarge,
            ErrorKind::Deadline | ErrorKind::Cancelled => ErrorCode::Deadline,
            ErrorKind::Input | ErrorKind::Internal => ErrorCode::Internal,
        };
        let is_of_service = |code| {
            use ErrorCode::{Damage, Internal, Store, StoreGone};
            matches!(code, Store | StoreGone | Damage | Internal)
        };
        if is_of_service(code) {
            tracing::error!(error = %error.chain(), "question failed");
        }
        let mut fault = Self::new(code, error.chain(), None);
        fault.body.hint = error.hint().map(|hint| hint.to_string());
        fault
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.body.message)
    }
}

impl ResponseError for ApiError {
    fn status_code(&self) -> StatusCode {
        match self.body.code {
            ErrorCode::BadRequest | ErrorCode::BadLens => StatusCode::BAD_REQUEST,
            ErrorCode::Unauthorised => StatusCode::UNAUTHORIZED,
            ErrorCode::Forbidden | ErrorCode::ReadOnly => StatusCode::FORBIDDEN,
            ErrorCode::NotFound | ErrorCode::Unknown => StatusCode::NOT_FOUND,
            ErrorCode::EmptyEnsemble | ErrorCode::NothingInCommon | ErrorCode::AnswerTooLarge => {
                StatusCode::UNPROCESSABLE_ENTITY
            }
            ErrorCode::Deadline => StatusCode::GATEWAY_TIMEOUT,
            ErrorCode::Conflict => StatusCode::CONFLICT,
            ErrorCode::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            ErrorCode::TooMany => StatusCode::TOO_MANY_REQUESTS,
            ErrorCode::Busy | ErrorCode::StoreGone => StatusCode::SERVICE_UNAVAILABLE,
            ErrorCode::Store | ErrorCode::Damage | ErrorCode::Internal => {
                StatusCode::INTERNAL_SERVER_ERROR
            }
        }
    }

    fn error_response(&self) -> HttpResponse {
        let mut response = HttpResponse::build(self.status_code());
        match self.body.code {
            ErrorCode::Busy => {
                response.insert_header(("Retry-After", "1"));
            }
            ErrorCode::TooMany => {
                response.insert_header(("Retry-After", "5"));
            }
            _ => {}
        }
        response.json(&self.body)
    }
}

/// Malformed bodies answer with a wire body too.
pub(super) fn json_config() -> web::JsonConfig {
    web::JsonConfig::default()
        .limit(MAX_BODY)
        .error_handler(|error, _| {
            let fault = match error {
                JsonPayloadError::Overflow { .. }
                | JsonPayloadError::OverflowKnownLength { .. } => ApiError::new(
                    ErrorCode::TooLarge,
                    format!("the body has more than `{MAX_BODY}` bytes"),
                    None,
                ),
                JsonPayloadError::ContentType => ApiError::bad_request(
                    "the body has no type; send `Content-Type: application/json`".to_owned(),
                ),
                JsonPayloadError::Payload(error) => {
                    ApiError::bad_request(format!("the body did not arrive whole: {error}"))
                }
                error => {
                    ApiError::bad_request(format!("the body is malformed: {error}").to_lowercase())
                }
            };
            fault.into()
        })
}
