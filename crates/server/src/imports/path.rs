//! Paths of uploads: names that a stranger chose, checked before they touch the file system.

use std::path::PathBuf;

use sheaf_answers::ImportLimits;

use super::Refusal;

/// Bytes of a name, as file systems have it.
const NAME_BYTES: usize = 255;

/// A relative path without a way up, of bounded length and depth. Ordered by its text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct UploadPath(String);

impl UploadPath {
    /// Checks a path.
    pub(crate) fn parse(text: &str, limits: &ImportLimits) -> Result<Self, Refusal> {
        let refuse = |reason: String| Err(Refusal::BadPath(reason));
        if text.is_empty() {
            return refuse("the path is empty; name the file".to_owned());
        }
        if text.len() as u64 > limits.path_bytes {
            return refuse(format!(
                "the path has `{}` bytes, more than `{}`; shorten it",
                text.len(),
                limits.path_bytes
            ));
        }
        let depth = text.split('/').count() as u64;
        if depth > limits.depth {
            return refuse(format!(
                "the path has `{depth}` names, more than `{}`; send the inner folder",
                limits.depth
            ));
        }
        for name in text.split('/') {
            if let Some(fault) = fault_of(name) {
                let shown = text.escape_debug();
                return refuse(format!("path `{shown}` {fault}"));
            }
        }
        Ok(Self(text.to_owned()))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// First of its names.
    pub(crate) fn top(&self) -> &str {
        self.0.split('/').next().unwrap_or_default()
    }

    /// Whether the user sent the file by itself, not as part of a folder.
    pub(crate) fn is_single(&self) -> bool {
        !self.0.contains('/')
    }

    pub(crate) fn to_path(&self) -> PathBuf {
        self.0.split('/').collect()
    }
}

/// Why a name may not be part of a path. A backslash parts names on some systems.
fn fault_of(name: &str) -> Option<&'static str> {
    match name {
        "" => Some("is not relative, or has an empty name; join names by single `/`"),
        "." | ".." => Some("has `.` or `..`; send relative paths without them"),
        _ if name.len() > NAME_BYTES => Some("has a name of more than 255 bytes; shorten it"),
        _ if name.chars().any(|c| c.is_control() || c == '\\') => {
            Some("has a control character or backslash; rename the file")
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::imports::Limits;

    fn check(text: &str) -> Result<UploadPath, String> {
        let limits = Limits::default().to_wire();
        UploadPath::parse(text, &limits).map_err(|refusal| refusal.to_string())
    }

    #[test]
    fn relative_names_pass() {
        for text in [
            "a",
            "a b/c.gstrace",
            "ä/…/名",
            "..a/b..",
            "-",
            "C:/x",
            "a/.b",
        ] {
            assert_eq!(check(text).unwrap().as_str(), text);
        }
        assert!(check("a").unwrap().is_single());
        assert_eq!(check("a/b/c").unwrap().top(), "a");
    }

    #[test]
    fn ways_out_are_refused() {
        let long = "n".repeat(256);
        let far = "a/".repeat(600) + "b";
        let deep = "a/".repeat(32) + "b";
        for text in [
            "",
            "/",
            "/etc/passwd",
            "..",
            "../x",
            "a/../../x",
            "a/..",
            "./a",
            "a/./b",
            "a//b",
            "a/",
            "a\0b",
            "a\nb",
            "a\\..\\b",
            "\u{7f}",
            &long,
            &far,
            &deep,
        ] {
            let reason = check(text).unwrap_err();
            assert!(!reason.contains(['\n', '\0']), "{text:?}: {reason}");
        }
    }
}
