//! The path below which a proxy shows the service.

use std::fmt;
use std::str::FromStr;

use actix_web::dev::ServiceRequest;
use actix_web::http::Uri;

/// Characters of a base path at most.
const MAX_LENGTH: usize = 256;

/// A path such as `/tools/grainsheaf`, without a slash at its end; empty for the root.
///
/// ```
/// use sheaf_server::BasePath;
///
/// let base: BasePath = "/tools/grainsheaf/".parse()?;
/// assert_eq!(base.to_string(), "/tools/grainsheaf");
/// assert!("tools".parse::<BasePath>().is_err());
/// # Ok::<(), String>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BasePath(String);

impl FromStr for BasePath {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let path = text.strip_suffix('/').unwrap_or(text);
        let is_fit = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '~');
        let is_name = |name: &str| {
            !name.is_empty() && name.chars().all(is_fit) && !name.chars().all(|c| c == '.')
        };
        let is_path = path
            .strip_prefix('/')
            .is_some_and(|names| names.split('/').all(is_name));
        if path.is_empty() || (is_path && path.len() <= MAX_LENGTH) {
            return Ok(Self(path.to_owned()));
        }
        Err(format!(
            "`{}` is not a path such as `/tools/grainsheaf`: it begins with `/` and has letters, digits and `-_.~`",
            text.escape_debug()
        ))
    }
}

impl fmt::Display for BasePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl BasePath {
    /// A path of the service as the browser sees it.
    pub(super) fn outer(&self, path: &str) -> String {
        format!("{}{path}", self.0)
    }

    /// Removes the base path from a request of a proxy that leaves it in.
    pub(super) fn strip(&self, request: &mut ServiceRequest) {
        if self.0.is_empty() {
            return;
        }
        let Some(inner) = self.inner(request.uri()) else {
            return;
        };
        request.match_info_mut().get_mut().update(&inner);
        request.head_mut().uri = inner;
    }

    fn inner(&self, uri: &Uri) -> Option<Uri> {
        let rest = uri.path().strip_prefix(&self.0)?;
        if !rest.is_empty() && !rest.starts_with('/') {
            return None;
        }
        let path = if rest.is_empty() { "/" } else { rest };
        let target = uri
            .query()
            .map_or_else(|| path.to_owned(), |query| format!("{path}?{query}"));
        let mut parts = uri.clone().into_parts();
        parts.path_and_query = Some(target.parse().ok()?);
        Uri::from_parts(parts).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_paths_are_base_paths() {
        for (text, shown) in [("", ""), ("/", ""), ("/gs", "/gs"), ("/a/b-c/", "/a/b-c")] {
            let base: BasePath = text.parse().unwrap();
            assert_eq!(base.to_string(), shown);
        }
        for text in [
            "gs", "//", "/a//b", "/..", "/a/../b", "/a b", "/\"<", "/a?b", "/\u{e9}",
        ] {
            assert!(text.parse::<BasePath>().is_err(), "{text}");
        }
        assert!(format!("/{}", "a".repeat(300)).parse::<BasePath>().is_err());
    }

    #[test]
    fn the_base_path_is_taken_off_where_it_is() {
        let base: BasePath = "/gs".parse().unwrap();
        let check = |target: &str, expected: Option<&str>| {
            let inner = base.inner(&target.parse().unwrap());
            assert_eq!(
                inner.map(|uri| uri.to_string()).as_deref(),
                expected,
                "{target}"
            );
        };
        check("/gs", Some("/"));
        check("/gs/", Some("/"));
        check("/gs?token=a", Some("/?token=a"));
        check("/gs/api/v1/runs?lens=a", Some("/api/v1/runs?lens=a"));
        check("/gsx/", None);
        check("/api/v1/runs", None);
    }
}
