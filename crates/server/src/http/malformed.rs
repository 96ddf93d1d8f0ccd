//! Answers that the HTTP layer gives by itself, to requests that it cannot read: they get the
//! headers and the kind of body that all others have.

use std::fmt::Write as _;

use sheaf_answers::{ErrorBody, ErrorCode};

use super::headers::SECURITY_HEADERS;

/// Bytes of a head at most that the HTTP layer writes by itself.
const MAX_HEAD: usize = 512;

/// The whole answer in place of a bare one; `None` if `bytes` are anything else.
pub(super) fn complete(bytes: &[u8]) -> Option<Vec<u8>> {
    if bytes.len() > MAX_HEAD || !bytes.starts_with(b"HTTP/1.1 4") {
        return None;
    }
    let text = std::str::from_utf8(bytes).ok()?;
    let head = text.strip_suffix("\r\n\r\n")?;
    let mut lines = head.split("\r\n");
    let status_line = lines.next()?;
    let headers: Vec<_> = lines.map(str::to_ascii_lowercase).collect();
    let is_ours = headers
        .iter()
        .any(|line| line.starts_with("x-content-type-options:"));
    let is_empty = headers.iter().any(|line| line == "content-length: 0");
    if is_ours || !is_empty {
        return None;
    }
    let message = match status_line.split(' ').nth(1)? {
        "400" => "the request is not well-formed HTTP/1.1",
        "408" => "the request did not arrive in time",
        "431" => "the target and headers of the request are too long",
        _ => return None,
    };
    Some(answer(status_line, "", ErrorCode::BadRequest, message).into_bytes())
}

/// An answer after which the connection closes. `more` are further header lines.
pub(super) fn answer(status_line: &str, more: &str, code: ErrorCode, message: &str) -> String {
    let body = ErrorBody {
        code,
        message: message.to_owned(),
        hint: None,
        position: None,
    };
    let body = serde_json::to_string(&body).unwrap_or_default();
    let mut text = format!(
        "{status_line}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\
         Connection: close\r\n{more}",
        body.len()
    );
    for (name, value) in SECURITY_HEADERS {
        // Writing to a string does not fail.
        let _ = write!(text, "{name}: {value}\r\n");
    }
    text + "\r\n" + &body
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bare_answers_are_completed() {
        let bare = b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
        let text = String::from_utf8(complete(bare).unwrap()).unwrap();
        assert!(text.starts_with("HTTP/1.1 400 Bad Request\r\n"), "{text}");
        for part in [
            "Content-Security-Policy: ",
            "nosniff\r\n",
            "\"bad_request\"",
        ] {
            assert!(text.contains(part), "{text}");
        }
        for other in [
            "HTTP/1.1 400 Bad Request\r\ncontent-length: 2\r\n\r\n{}",
            "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n",
            "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nx-content-type-options: nosniff\r\n\r\n",
        ] {
            assert_eq!(complete(other.as_bytes()), None, "{other}");
        }
        assert_eq!(complete(text.as_bytes()), None);
    }
}
