//! `serve`: stores in the browser.

use std::net::{IpAddr, SocketAddr};
use std::process::{Command, Stdio};
use std::time::Duration;

use sheaf_server::{BasePath, ConnectionLimits, Ended, Limits, QuestionLimits, ServeOptions};

use super::Outcome;
use crate::cli::Global;
use crate::cli::store::ServeArguments;
use crate::console::Console;
use crate::failure::{Exit, Failure};
use crate::output::Output;
use crate::stdout;

/// Serves until Ctrl-C or SIGTERM; then finishes requests in flight.
pub(crate) fn serve(arguments: &ServeArguments, output: &Output) -> Outcome {
    let global = output.global();
    output.refuse_csv()?;
    let stores = if arguments.stores.is_empty() {
        vec![global.store.clone()]
    } else {
        arguments.stores.clone()
    };
    let token = match (&arguments.token, arguments.no_token) {
        (_, true) => None,
        (Some(token), false) => Some(token.clone()),
        (None, false) => Some(new_token()?),
    };
    let console = Console::new(global);
    if token.is_none() && !arguments.bind.is_loopback() {
        console.warning(&format!(
            "everyone who reaches {} sees these stores: there is no token",
            arguments.bind
        ));
    }
    let options = ServeOptions {
        bind: arguments.bind,
        port: arguments.port,
        token: token.clone(),
        stores,
        checks: super::checks(global),
        is_shared_allowed: arguments.allow_shared_store,
        is_read_only: arguments.read_only,
        limits: limits(arguments),
        connections: ConnectionLimits {
            total: arguments.max_connections,
            per_address: arguments.max_connections_per_address,
        },
        patience: Duration::from_secs(arguments.client_timeout.into()),
        trusted_proxies: arguments.trusted_proxy.clone(),
        base_path: arguments.base_path.clone(),
        has_access_log: arguments.access_log,
        symbols_from: arguments.symbols_from.clone(),
        sources_from: arguments.source.clone(),
        questions: questions(global),
    };
    let host = host_name();
    let ready = |address: SocketAddr| {
        let url = url(address, &host, &arguments.base_path, token.as_deref());
        if let Err(failure) = stdout::write(&format!("{url}\n")) {
            // Nobody would learn the token, nor the port.
            console.failure(&failure);
            std::process::exit(i32::from(failure.exit as u8));
        }
        if address.ip().is_loopback() {
            let port = address.port();
            console.note(&format!(
                "from another machine: ssh -L {port}:localhost:{port} {host}"
            ));
        }
        console.note("Ctrl-C stops the service");
        if arguments.open {
            open(&url, &console);
        }
    };
    match sheaf_server::serve(options, ready)? {
        Ended::Finished => Ok(Exit::Done),
        Ended::CutOff => Ok(Exit::Interrupted),
    }
}

fn questions(global: &Global) -> QuestionLimits {
    let default = QuestionLimits::default();
    QuestionLimits {
        deadline: global.deadline.unwrap_or(default.deadline),
        ..default
    }
}

/// Bounds on uploads: the defaults, where nothing else was asked for.
fn limits(arguments: &ServeArguments) -> Limits {
    let mut limits = Limits::default();
    if let Some(bytes) = arguments.upload_limit {
        limits.bytes = bytes;
        limits.file_bytes = bytes;
    }
    if let Some(bytes) = arguments.upload_file_limit {
        limits.file_bytes = bytes;
    }
    if let Some(files) = arguments.upload_files {
        limits.files = files;
    }
    limits
}

fn new_token() -> Result<String, Failure> {
    sheaf_server::new_token().map_err(|error| {
        Failure::internal("cannot make a token", &error).with_hint("name one with `--token TOKEN`")
    })
}

/// The URL to type into a browser. A wildcard address such as 0.0.0.0 cannot be used as its host.
fn url(address: SocketAddr, host: &str, base: &BasePath, token: Option<&str>) -> String {
    let authority = match address.ip() {
        ip if ip.is_unspecified() => format!("{host}:{}", address.port()),
        IpAddr::V4(ip) => format!("{ip}:{}", address.port()),
        IpAddr::V6(ip) => format!("[{ip}]:{}", address.port()),
    };
    match token {
        Some(token) => format!("http://{authority}{base}/?token={token}"),
        None => format!("http://{authority}{base}/"),
    }
}

fn host_name() -> String {
    let text = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let name = text.trim();
    if name.is_empty() {
        "HOST".to_owned()
    } else {
        name.to_owned()
    }
}

fn open(url: &str, console: &Console) {
    let opener = if cfg!(target_os = "macos") {
        "open"
    } else {
        "xdg-open"
    };
    let started = Command::new(opener)
        .arg(url)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    if let Err(error) = started {
        console.warning(&format!("cannot open a browser with `{opener}`: {error}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_can_be_typed_as_they_are() {
        let check = |address: &str, token: Option<&str>, expected: &str| {
            let root = BasePath::default();
            assert_eq!(
                url(address.parse().unwrap(), "node1", &root, token),
                expected
            );
        };
        check(
            "127.0.0.1:8080",
            Some("t"),
            "http://127.0.0.1:8080/?token=t",
        );
        check("[::1]:80", None, "http://[::1]:80/");
        check("0.0.0.0:80", Some("t"), "http://node1:80/?token=t");
    }
}
