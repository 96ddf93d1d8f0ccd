//! Errors on the wire.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What went wrong, for programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ErrorCode {
    /// The request is malformed.
    BadRequest,
    /// The lens or an expression in it is malformed.
    BadLens,
    /// The token is missing or wrong.
    Unauthorised,
    /// The host or origin is not allowed.
    Forbidden,
    /// No such route.
    NotFound,
    /// No such run, group, metric or store.
    Unknown,
    /// The lens selects no runs.
    EmptyEnsemble,
    /// The runs have nothing in common that could be compared.
    NothingInCommon,
    /// Not possible in the present state of the import.
    Conflict,
    /// A file or an import is larger than the service accepts.
    TooLarge,
    /// The answer has more bytes than the service sends; ask for fewer rows.
    AnswerTooLarge,
    /// The question took longer than it may.
    Deadline,
    /// The store is not changed through this service.
    ReadOnly,
    /// There are too many imports at the moment; retry later.
    TooMany,
    /// The service is at its limit; retry later.
    Busy,
    /// The store cannot be read.
    Store,
    /// The store's folder was unmounted, moved or removed while it was served.
    StoreGone,
    /// Files of the store are not as they were published.
    Damage,
    /// A fault of the service.
    Internal,
}

/// Body of every answer that is an error.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ErrorBody {
    /// For programs.
    pub code: ErrorCode,
    /// For people.
    pub message: String,
    /// What could be done about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Character of the lens, from 1, where it is malformed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<u32>,
}
