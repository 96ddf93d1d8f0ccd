//! Parameters of a request, and the errors of malformed ones.

use std::future::{Ready, ready};
use std::ops::Deref;

use actix_web::dev::Payload;
use actix_web::error::QueryPayloadError;
use actix_web::{FromRequest, HttpRequest, web};
use serde::de::DeserializeOwned;

use super::error::ApiError;

/// The parameters of a request, like [`web::Query`], with errors that name the malformed parameter.
pub(super) struct Query<T>(T);

impl<T> Query<T> {
    pub(super) fn into_inner(self) -> T {
        self.0
    }
}

impl<T> Deref for Query<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: DeserializeOwned> FromRequest for Query<T> {
    type Error = actix_web::Error;
    type Future = Ready<Result<Self, Self::Error>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let text = request.query_string();
        let read = web::Query::<T>::from_query(text);
        ready(match read {
            Ok(query) => Ok(Self(query.into_inner())),
            Err(error) => Err(fault::<T>(text, &error).into()),
        })
    }
}

fn fault<T: DeserializeOwned>(text: &str, error: &QueryPayloadError) -> ApiError {
    let reason = reason_of(error);
    let message = match requirement(&reason).zip(malformed_parameter::<T>(text)) {
        Some((requirement, (name, value))) => {
            format!("the query is malformed: `{name}` must be {requirement}, got `{value}`")
        }
        None => format!("the query is malformed: {}", in_words(&reason)),
    };
    ApiError::bad_request(message)
}

fn reason_of(error: &QueryPayloadError) -> String {
    match error {
        QueryPayloadError::Deserialize(reason) => reason.to_string(),
        other => other.to_string(),
    }
}

/// Calls fields of our types parameters, as clients know them.
fn in_words(reason: &str) -> String {
    let reason = reason.replacen("unknown field", "unknown parameter", 1);
    let reason = reason.replacen("missing field", "missing parameter", 1);
    reason.replacen("duplicate field", "repeated parameter", 1)
}

/// The requirement that a value breaks, for errors of the standard library that name neither parameter nor value.
fn requirement(reason: &str) -> Option<&'static str> {
    match reason {
        "invalid float literal" | "cannot parse float from empty string" => Some("a number"),
        "invalid digit found in string" | "cannot parse integer from empty string" => {
            Some("a non-negative integer")
        }
        "number too large to fit in target type" => Some("a smaller number"),
        "number too small to fit in target type" => Some("a larger number"),
        "provided string was not `true` or `false`" => Some("`true` or `false`"),
        _ => None,
    }
}

/// The first parameter that cannot be parsed, with its value: parameters are parsed in their order.
fn malformed_parameter<T: DeserializeOwned>(text: &str) -> Option<(String, String)> {
    let ends = text.match_indices('&').map(|(at, _)| at);
    let mut from = 0;
    for end in ends.chain([text.len()]) {
        let is_read = match web::Query::<T>::from_query(text.get(..end)?) {
            Ok(_) => true,
            // A missing parameter may still come; at the end it is reported as missing.
            Err(error) => reason_of(&error).starts_with("missing field"),
        };
        if !is_read {
            let pairs = web::Query::<Vec<(String, String)>>::from_query(text.get(from..end)?);
            return pairs.ok()?.into_inner().into_iter().next();
        }
        from = end + 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "it is only read into")]
    struct Asked {
        run: String,
        alpha: Option<f64>,
        limit: Option<usize>,
        strict: Option<bool>,
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let Err(error) = web::Query::<Asked>::from_query(text) else {
            panic!("{text} is read");
        };
        assert_eq!(fault::<Asked>(text, &error).message(), expected, "{text}");
    }

    #[test]
    fn the_parameter_that_cannot_be_read_is_named() {
        let malformed = |reason: &str| format!("the query is malformed: {reason}");
        for (text, reason) in [
            ("run=a&alpha=x", "`alpha` must be a number, got `x`"),
            ("alpha=&run=a", "`alpha` must be a number, got ``"),
            (
                "limit=-1&run=a",
                "`limit` must be a non-negative integer, got `-1`",
            ),
            (
                "run=1.5&limit=1.5&alpha=y",
                "`limit` must be a non-negative integer, got `1.5`",
            ),
            (
                "run=a&limit=99999999999999999999999",
                "`limit` must be a smaller number, got `99999999999999999999999`",
            ),
            (
                "strict=maybe%26&run=a",
                "`strict` must be `true` or `false`, got `maybe&`",
            ),
            ("alpha=0.1", "missing parameter `run`"),
            ("run=a&run=b", "repeated parameter `run`"),
        ] {
            check(text, &malformed(reason));
        }
        check(
            "run=a&bogus=1",
            &malformed(
                "unknown parameter `bogus`, expected one of `run`, `alpha`, `limit`, `strict`",
            ),
        );
    }
}
