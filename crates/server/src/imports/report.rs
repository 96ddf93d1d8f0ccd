//! What is read of an upload, and its report in the words of the one who sent it.

use std::path::Path;

use sheaf_answers as api;
use sheaf_ensemble::Input;

use super::UploadPath;

/// File with parameters of the files next to it; the import reads it itself.
const SIDECAR: &str = "grainsheaf.toml";

/// Inputs of an import whose files lie below `folder`: a file that was sent by itself is named, as
/// on the command line; of a folder that was sent, what is recognised is added.
pub(super) fn inputs(folder: &Path, files: &[UploadPath]) -> Vec<Input> {
    let has_others = files.iter().any(|path| path.as_str() != SIDECAR);
    let mut tops: Vec<&str> = files
        .iter()
        .filter(|path| !(has_others && path.is_single() && path.as_str() == SIDECAR))
        .map(UploadPath::top)
        .collect();
    // Paths are sorted as texts, which parts `a/b` from `a/c` where there is an `a b`.
    tops.sort_unstable();
    tops.dedup();
    tops.into_iter()
        .map(|top| Input::Path(folder.join(top)))
        .collect()
}

/// Replaces paths in the workspace by those that the files were sent with.
pub(super) fn in_the_users_words(mut report: api::Add, folder: &Path) -> api::Add {
    let words = Words::new(folder);
    for file in &mut report.files {
        file.path = words.path(&file.path);
        if let Some(error) = &mut file.error {
            *error = words.text(error);
        }
        for finding in &mut file.report {
            if let Some(first) = &mut finding.first {
                *first = words.text(first);
            }
        }
    }
    report
}

/// The same for the text of an error.
pub(super) fn text_in_the_users_words(text: &str, folder: &Path) -> String {
    Words::new(folder).text(text)
}

struct Words {
    /// The workspace as the service names it and as an absolute path, which messages contain too. A text may contain
    /// the former as a part of the latter, so the longest comes first.
    folders: Vec<String>,
}

impl Words {
    fn new(folder: &Path) -> Self {
        let absolute = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
        let mut folders = vec![absolute.display().to_string(), folder.display().to_string()];
        folders.dedup();
        Self { folders }
    }

    fn path(&self, path: &str) -> String {
        if self.folders.iter().any(|folder| folder == path) {
            return ".".to_owned();
        }
        let mut insides = self.folders.iter();
        let below = insides.find_map(|folder| path.strip_prefix(folder)?.strip_prefix('/'));
        below.unwrap_or(path).to_owned()
    }

    fn text(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for folder in &self.folders {
            text = text.replace(&format!("{folder}/"), "").replace(folder, ".");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::imports::Limits;

    fn check(files: &[&str], expected: &[&str]) {
        let limits = Limits::default().to_wire();
        let mut paths: Vec<_> = files
            .iter()
            .map(|path| UploadPath::parse(path, &limits).unwrap())
            .collect();
        paths.sort();
        let found: Vec<_> = inputs(Path::new("/w"), &paths)
            .into_iter()
            .map(|input| match input {
                Input::Path(path) => path.display().to_string(),
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn files_are_named_and_folders_walked() {
        check(&["b.x", "a/1", "a/2", "a/b/3"], &["/w/a", "/w/b.x"]);
        check(&["a/1", "a b/1", "a/2"], &["/w/a", "/w/a b"]);
        check(&["b.x", "grainsheaf.toml"], &["/w/b.x"]);
        check(&["a/grainsheaf.toml"], &["/w/a"]);
        check(&["grainsheaf.toml"], &["/w/grainsheaf.toml"]);
    }

    #[test]
    fn nothing_tells_where_the_files_lay() {
        let file = |path: &str, error: &str, first: &str| api::FileReport {
            path: path.to_owned(),
            format: None,
            status: api::FileStatus::Refused,
            runs: Vec::new(),
            report: vec![api::Finding {
                kind: "skipped_other_files".to_owned(),
                count: 1,
                first: Some(first.to_owned()),
            }],
            error: Some(error.to_owned()),
        };
        let report = api::Add {
            schema: "add/1".to_owned(),
            files: vec![
                file("/w/t/a/x", "bad: /w/t/a/x", "/w/t/a/README"),
                file("/w/t", "folder /w/t has nothing", "line 3"),
            ],
            batch: None,
            warnings: Vec::new(),
        };
        let report = in_the_users_words(report, Path::new("/w/t"));
        let text = serde_json::to_string(&report).unwrap();
        assert!(!text.contains("/w"), "{text}");
        assert_eq!(report.files[0].path, "a/x");
        assert_eq!(report.files[0].error.as_deref(), Some("bad: a/x"));
        assert_eq!(report.files[1].path, ".");
    }

    #[test]
    fn absolute_paths_below_a_relative_workspace_are_replaced() {
        let folder = Path::new("store/tmp/t");
        let absolute = std::path::absolute(folder).unwrap();
        let words = Words::new(folder);
        let text = format!(
            "bad: {}/a/x, store/tmp/t/b, store/tmp/t",
            absolute.display()
        );
        assert_eq!(words.text(&text), "bad: a/x, b, .");
        assert_eq!(words.path("store/tmp/t/b"), "b");
        assert_eq!(words.path(&absolute.display().to_string()), ".");
    }
}
