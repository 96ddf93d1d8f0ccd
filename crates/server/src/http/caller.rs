//! Who asks, and under which name of ours: one notion for the checks of host and origin, the
//! cookie, delays and the access log.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};

use actix_web::HttpRequest;
use actix_web::http::header::{self, HeaderMap};

use super::addresses::{AddressRange, canonical};
use super::error::ApiError;
use super::prefix::BasePath;

/// Bytes of a host name, as the domain name system has it.
const MAX_NAME_BYTES: usize = 253;

/// A host and, if given, a port. Authorities are compared without regard to the case of their
/// letters and whether or not they end in a dot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Authority {
    /// In lower case, without a final dot; IPv6 addresses without brackets.
    name: String,
    port: Option<u16>,
}

/// Who asks.
#[derive(Debug, Clone)]
pub(super) struct Caller {
    /// The other end of the connection.
    pub(super) peer: IpAddr,
    /// Who asks according to the proxies that are trusted; without them, the peer.
    pub(super) address: IpAddr,
    /// Name of the service as the caller wrote it.
    pub(super) host: Authority,
    /// Whether a trusted proxy named the host.
    pub(super) is_host_forwarded: bool,
    /// Whether the caller speaks TLS to a trusted proxy.
    pub(super) is_secure: bool,
    /// Path below which the caller sees the service.
    pub(super) base: BasePath,
}

impl Authority {
    /// Reads `HOST` or `HOST:PORT`.
    pub(super) fn parse(text: &str) -> Option<Self> {
        if let Some(rest) = text.strip_prefix('[') {
            let (inside, after) = rest.split_once(']')?;
            let address: Ipv6Addr = inside.parse().ok()?;
            return Some(Self {
                name: address.to_string(),
                port: port_after(after)?,
            });
        }
        let name_ends = text.find(':').unwrap_or(text.len());
        let (name, after) = text.split_at(name_ends);
        let name = name.strip_suffix('.').unwrap_or(name);
        let is_fit = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        let is_name = name.len() <= MAX_NAME_BYTES
            && name.chars().all(is_fit)
            && name.split('.').all(|label| !label.is_empty());
        is_name.then_some(())?;
        Some(Self {
            name: name.to_ascii_lowercase(),
            port: port_after(after)?,
        })
    }

    pub(super) fn port(&self) -> Option<u16> {
        self.port
    }

    /// Whether it names this machine's loopback.
    pub(super) fn is_loopback(&self) -> bool {
        let address = self.name.parse::<IpAddr>();
        self.name == "localhost"
            || address.is_ok_and(|address| address.to_canonical().is_loopback())
    }

    /// Whether it is an address.
    pub(super) fn is_address(&self, address: IpAddr) -> bool {
        self.name
            .parse()
            .is_ok_and(|own: IpAddr| canonical(own) == canonical(address))
    }
}

impl fmt::Display for Authority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.name.contains(':') {
            write!(f, "[{}]", self.name)?;
        } else {
            f.write_str(&self.name)?;
        }
        match self.port {
            Some(port) => write!(f, ":{port}"),
            None => Ok(()),
        }
    }
}

/// The port in what follows a host; an empty port is none.
#[expect(
    clippy::option_option,
    reason = "outside: is it well-formed; inside: is there a port"
)]
fn port_after(text: &str) -> Option<Option<u16>> {
    let Some(digits) = text.strip_prefix(':') else {
        return text.is_empty().then_some(None);
    };
    if digits.is_empty() {
        return Some(None);
    }
    let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then_some(Some(digits.parse().ok()?))
}

impl Caller {
    /// Reads who asks. Headers that proxies add count only if the peer is one of `proxies`.
    ///
    /// # Errors
    /// If `Host` is missing, repeated or malformed, or differs from the host of the target.
    pub(super) fn read(
        request: &HttpRequest,
        proxies: &[AddressRange],
        base: &BasePath,
    ) -> Result<Self, ApiError> {
        let peer = request.peer_addr().ok_or_else(|| {
            ApiError::internal("the connection has no peer") // Only sockets of other families have none.
        })?;
        let peer = canonical(peer.ip());
        let headers = request.headers();
        let host = host_of(headers)?;
        if let Some(target) = request.uri().authority()
            && Authority::parse(target.as_str()).as_ref() != Some(&host)
        {
            let shown = target.as_str().escape_debug();
            return Err(ApiError::bad_request(format!(
                "the target names host `{shown}`, `Host` names `{host}`; send the path alone"
            )));
        }
        let mut caller = Self {
            peer,
            address: peer,
            host,
            is_host_forwarded: false,
            is_secure: false,
            base: base.clone(),
        };
        if is_trusted(peer, proxies) {
            caller.read_forwarded(headers, proxies)?;
        }
        Ok(caller)
    }

    /// Takes over what a trusted proxy added: of lists its own entry, which is the last.
    fn read_forwarded(
        &mut self,
        headers: &HeaderMap,
        proxies: &[AddressRange],
    ) -> Result<(), ApiError> {
        if let Some(text) = entries(headers, "x-forwarded-host").pop() {
            self.host =
                Authority::parse(&text).ok_or_else(|| malformed("X-Forwarded-Host", &text))?;
            self.is_host_forwarded = true;
        }
        let scheme = entries(headers, "x-forwarded-proto").pop();
        self.is_secure = scheme.is_some_and(|scheme| scheme.eq_ignore_ascii_case("https"));
        if let Some(text) = entries(headers, "x-forwarded-prefix").pop() {
            self.base = text.parse().map_err(|reason| {
                ApiError::bad_request(format!("`X-Forwarded-Prefix`: {reason}"))
            })?;
        }
        for text in entries(headers, "x-forwarded-for").iter().rev() {
            let Ok(address) = text.parse() else { break };
            self.address = canonical(address);
            if !is_trusted(self.address, proxies) {
                break;
            }
        }
        Ok(())
    }

    /// Name of the cookie that holds the token. Browsers share cookies between the ports of a host,
    /// so the name holds the port.
    pub(super) fn cookie_name(&self) -> String {
        let default = if self.is_secure { 443 } else { 80 };
        format!("grainsheaf_{}", self.host.port().unwrap_or(default))
    }

    /// Whether a page of this origin is ours.
    pub(super) fn is_own_origin(&self, origin: &str) -> bool {
        let authority = origin
            .strip_prefix("http://")
            .or_else(|| origin.strip_prefix("https://"));
        authority.and_then(Authority::parse).as_ref() == Some(&self.host)
    }
}

/// Whether an address is one of the proxies.
pub(super) fn is_trusted(address: IpAddr, proxies: &[AddressRange]) -> bool {
    proxies.iter().any(|range| range.contains(address))
}

fn host_of(headers: &HeaderMap) -> Result<Authority, ApiError> {
    let mut values = headers.get_all(header::HOST);
    let missing = || ApiError::bad_request("`Host` is missing; send it once".to_owned());
    let value = values.next().ok_or_else(missing)?;
    if values.next().is_some() {
        let message = "`Host` is there more than once; send it once";
        return Err(ApiError::bad_request(message.to_owned()));
    }
    let text = String::from_utf8_lossy(value.as_bytes());
    Authority::parse(&text).ok_or_else(|| malformed("Host", &text))
}

fn malformed(name: &str, text: &str) -> ApiError {
    let shown: String = text.chars().take(MAX_NAME_BYTES).collect();
    ApiError::bad_request(format!(
        "`{name}` is `{}`, which is not a host with or without a port",
        shown.escape_debug()
    ))
}

/// The entries of a list that may be spread over several headers.
fn entries(headers: &HeaderMap, name: &str) -> Vec<String> {
    let values = headers
        .get_all(name)
        .filter_map(|value| value.to_str().ok());
    let entries = values.flat_map(|text| text.split(',')).map(str::trim);
    let entries = entries.filter(|text| !text.is_empty());
    entries.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    #[test]
    fn hosts_are_read_in_every_spelling() {
        for (text, shown) in [
            ("LOCALHOST:80", "localhost:80"),
            ("localhost.:80", "localhost:80"),
            ("localhost:", "localhost"),
            ("127.0.0.1", "127.0.0.1"),
            ("[::1]:8080", "[::1]:8080"),
            ("[0:0:0:0:0:0:0:1]", "[::1]"),
            ("node_1.example.org.", "node_1.example.org"),
        ] {
            assert_eq!(Authority::parse(text).unwrap().to_string(), shown);
        }
        for text in [
            "",
            ".",
            ":80",
            "a..b",
            "a b",
            "a/b",
            "a@b",
            "a:b",
            "a:80:80",
            "a:65536",
            "a:+1",
            "[::1",
            "::1",
            "[a]",
            "[::1]x",
            "ä",
            "a,b",
            "localhost..",
        ] {
            assert_eq!(Authority::parse(text), None, "{text}");
        }
    }

    fn read(headers: &[(&'static str, &'static str)], proxies: &[&str]) -> Result<Caller, String> {
        let mut request = TestRequest::default().peer_addr("127.0.0.1:9".parse().unwrap());
        for header in headers {
            request = request.append_header(*header);
        }
        let proxies: Vec<_> = proxies.iter().map(|text| text.parse().unwrap()).collect();
        let read = Caller::read(&request.to_http_request(), &proxies, &BasePath::default());
        read.map_err(|fault| fault.message().to_owned())
    }

    #[test]
    fn forwarded_headers_count_from_trusted_proxies_alone() {
        let headers = [
            ("host", "127.0.0.1:8080"),
            ("forwarded", "host=evil.example"),
            ("x-forwarded-host", "evil.example, perf.example:444"),
            ("x-forwarded-proto", "https"),
            ("x-forwarded-for", "1.1.1.1, 10.0.0.9"),
            ("x-forwarded-for", "192.168.0.7"),
        ];
        let caller = read(&headers, &[]).unwrap();
        assert_eq!(caller.host.to_string(), "127.0.0.1:8080");
        assert_eq!(caller.address.to_string(), "127.0.0.1");
        assert_eq!(caller.cookie_name(), "grainsheaf_8080");
        assert!(!caller.is_host_forwarded && !caller.is_secure);
        let caller = read(&headers, &["127.0.0.1", "192.168.0.0/16"]).unwrap();
        assert_eq!(caller.host.to_string(), "perf.example:444");
        assert_eq!(caller.address.to_string(), "10.0.0.9");
        assert_eq!(caller.cookie_name(), "grainsheaf_444");
        assert!(caller.is_host_forwarded && caller.is_secure);
        assert!(caller.is_own_origin("https://PERF.example.:444"));
        assert!(!caller.is_own_origin("https://perf.example"));
        assert!(!caller.is_own_origin("null"));
    }

    #[test]
    fn a_host_is_given_once() {
        let once = "`Host` is there more than once; send it once";
        let twice = [("host", "localhost"), ("host", "localhost")];
        assert_eq!(read(&twice, &[]).unwrap_err(), once);
        let missing = "`Host` is missing; send it once";
        assert_eq!(read(&[], &[]).unwrap_err(), missing);
        let malformed = "`Host` is `a b`, which is not a host with or without a port";
        assert_eq!(read(&[("host", "a b")], &[]).unwrap_err(), malformed);
    }
}
