#![doc = include_str!("../README.md")]

mod answers;
mod dump;
mod error;
mod http;
mod imports;
pub mod json;
mod report;
mod stream;

pub use answers::Answers;
pub use dump::DataForm;
pub use error::Error;
pub use http::{
    AddressRange, BasePath, ConnectionLimits, Ended, InProcess, QuestionLimits, Reply,
    ServeOptions, error_body, new_token, openapi, serve,
};
pub use imports::Limits;
pub use report::{Markup, Report};
pub use sheaf_ensemble::csv;
