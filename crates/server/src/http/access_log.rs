//! The access log: a line of JSON per answer, on standard error.

use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::Serialize;

/// Lines that wait to be written; when standard error is slower than that, lines are left out.
const MAX_WAITING: usize = 1024;

/// How long the end of the service waits for lines to be written.
const MAX_FLUSH: Duration = Duration::from_secs(1);

/// Characters of a target that a line shows.
const MAX_TARGET: usize = 2048;

/// Writes lines on a thread of its own, so that no answer waits for a terminal or pipe.
pub(super) struct AccessLog {
    waiting: SyncSender<Message>,
    missed: AtomicU64,
}

enum Message {
    Line(String),
    /// Everything before it is written.
    Flush(SyncSender<()>),
}

/// Content of a line.
#[derive(Serialize)]
pub(super) struct Entry {
    /// RFC 3339, when the answer was complete.
    time: String,
    /// The other end of the connection.
    pub(super) peer: String,
    /// Who asked, according to a trusted proxy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) client: Option<String>,
    pub(super) method: String,
    /// Path and query, without the value of the token.
    pub(super) path: String,
    pub(super) status: u16,
    /// Bytes of the body.
    pub(super) bytes: u64,
    pub(super) duration_ms: f64,
    /// Whether the whole body was handed over.
    pub(super) is_complete: bool,
    /// Lines that were left out before this one.
    #[serde(skip_serializing_if = "is_zero")]
    missed: u64,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde asks for a reference"
)]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Entry {
    pub(super) fn new(method: &str, target: &str) -> Self {
        Self {
            time: String::new(),
            peer: String::new(),
            client: None,
            method: method.chars().take(MAX_TARGET).collect(),
            path: without_token(target).chars().take(MAX_TARGET).collect(),
            status: 0,
            bytes: 0,
            duration_ms: 0.0,
            is_complete: false,
            missed: 0,
        }
    }
}

impl AccessLog {
    /// Starts the thread that writes.
    ///
    /// # Errors
    /// If the system has no thread for it.
    pub(super) fn start() -> std::io::Result<Self> {
        let (waiting, messages) = sync_channel(MAX_WAITING);
        std::thread::Builder::new()
            .name("access log".to_owned())
            .spawn(move || write(&messages))?;
        Ok(Self {
            waiting,
            missed: AtomicU64::new(0),
        })
    }

    /// Writes a line, or counts it if too many wait.
    pub(super) fn write(&self, mut entry: Entry) {
        entry.time = now();
        entry.missed = self.missed.swap(0, Ordering::Relaxed);
        let missed = entry.missed;
        if self.waiting.try_send(Message::Line(line(&entry))).is_err() {
            self.missed.fetch_add(missed + 1, Ordering::Relaxed);
        }
    }

    /// Waits until all lines are written, but not for long.
    pub(super) fn flush(&self) {
        let (written, receipt) = sync_channel(1);
        if self.waiting.try_send(Message::Flush(written)).is_ok() {
            // Whoever does not read standard error must not keep the service from ending.
            let _ = receipt.recv_timeout(MAX_FLUSH);
        }
    }
}

fn write(messages: &Receiver<Message>) {
    for message in messages {
        // If standard error is closed, there is nowhere to report it.
        let _ = match message {
            Message::Line(line) => std::io::stderr().lock().write_all(line.as_bytes()),
            Message::Flush(written) => {
                let _ = written.send(());
                Ok(())
            }
        };
    }
}

fn now() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let since = since.unwrap_or(Duration::ZERO);
    sheaf_model::instant::rfc3339(i64::try_from(since.as_nanos()).unwrap_or(i64::MAX))
}

/// JSON in ASCII: the content of a request can neither end the line nor control a terminal.
fn line(entry: &Entry) -> String {
    let json = serde_json::to_string(entry).unwrap_or_default();
    let mut line = String::with_capacity(json.len() + 1);
    for c in json.chars() {
        if c.is_ascii() && !c.is_ascii_control() {
            line.push(c);
        } else {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                // Writing to a string does not fail.
                let _ = write!(line, "\\u{unit:04x}");
            }
        }
    }
    line.push('\n');
    line
}

/// A target whose parameters `token`, however their name is written, have no value.
fn without_token(target: &str) -> String {
    let Some((path, query)) = target.split_once('?') else {
        return target.to_owned();
    };
    let parts: Vec<_> = query
        .split('&')
        .map(|part| match part.split_once('=') {
            Some((name, _)) if is_token(name) => format!("{name}=…"),
            _ => part.to_owned(),
        })
        .collect();
    format!("{path}?{}", parts.join("&"))
}

/// Whether a name in a query, as it is written there, is that of the token.
pub(super) fn is_token(name: &str) -> bool {
    let text = format!("{name}=");
    let pairs = actix_web::web::Query::<Vec<(String, String)>>::from_query(&text);
    // What cannot be read is better left out than shown.
    pairs.map_or(true, |pairs| {
        let names = pairs.iter().map(|(name, _)| name.trim());
        names.clone().count() == 0
            || names
                .into_iter()
                .any(|name| name.eq_ignore_ascii_case("token"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_hold_no_token() {
        let check = |target: &str, expected: &str| assert_eq!(without_token(target), expected);
        check("/", "/");
        check("/?token=secret", "/?token=…");
        check("/?v=1&token=secret&w=2", "/?v=1&token=…&w=2");
        check("/?%74oken=secret&Token=secret", "/?%74oken=…&Token=…");
        check("/?tokens=1&token", "/?tokens=1&token");
        check("/api?lens=token=1", "/api?lens=token=1");
    }

    #[test]
    fn lines_are_one_line_of_plain_ascii() {
        let entry = Entry::new("GET", "/\u{202e}\u{1f980}\u{7f}\"\\\n\u{9b}");
        let line = line(&entry);
        assert!(line.is_ascii() && line.ends_with("}\n"));
        assert_eq!(line.matches('\n').count(), 1);
        let read: serde_json::Value = serde_json::from_str(&line).unwrap();
        assert_eq!(read["path"], "/\u{202e}\u{1f980}\u{7f}\"\\\n\u{9b}");
    }
}
