//! The order of versions in a git repository: ancestors before descendants.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use sheaf_answers::{HistoryFact, Note};

use crate::failure::Failure;

/// Versions in order, and notes on versions that have none.
#[derive(Debug, PartialEq)]
pub(super) struct GitOrder {
    /// Versions that are commits of the repository, oldest first.
    pub(super) versions: Vec<String>,
    /// Things a reader must know.
    pub(super) notes: Vec<Note>,
}

/// Orders versions that are commits, beginnings of their hashes, tags or branches. `-dirty` behind one
/// stands after the commit itself.
pub(super) fn git_order(folder: &Path, versions: &[String]) -> Result<GitOrder, Failure> {
    git(folder, &["rev-parse", "--git-dir"], "").map_err(|reason| {
        let message = "cannot ask git for the order of versions";
        Failure::usage(format!("{message}: {reason}: {}", folder.display())).with_hint(
            "name the folder of a git repository, or give the order with `--order list A,B,C`",
        )
    })?;
    let (of_commit, unknown) = commits(folder, versions);
    if of_commit.is_empty() {
        let message = "no version is a commit of the repository";
        let first = unknown.first().map_or("", |version| version.as_str());
        return Err(Failure::usage(format!("{message}: {}", folder.display()))
            .with_hint(format!("versions are such as `{first}`")));
    }
    let names: Vec<&str> = of_commit.keys().map(String::as_str).collect();
    let words = ["rev-list", "--topo-order", "--reverse", "--stdin"];
    let all = git(folder, &words, &(names.join("\n") + "\n")).map_err(|reason| {
        Failure::usage(format!(
            "git cannot list commits: {reason}: {}",
            folder.display()
        ))
    })?;
    let is_named = |commit: &&str| of_commit.contains_key(*commit);
    let ordered: Vec<&str> = all.lines().filter(is_named).collect();
    let mut in_order = Vec::with_capacity(versions.len());
    for commit in &ordered {
        // The clean state before the changed one.
        let mut same = of_commit.get(*commit).cloned().unwrap_or_default();
        same.sort_by_key(|version| (version.ends_with("-dirty"), version.as_str()));
        in_order.extend(same.into_iter().cloned());
    }
    Ok(GitOrder {
        versions: in_order,
        notes: notes(folder, &ordered, &unknown, versions.len()),
    })
}

/// Versions by the commit that they name, and those that name none.
fn commits<'a>(
    folder: &Path,
    versions: &'a [String],
) -> (BTreeMap<String, Vec<&'a String>>, Vec<&'a String>) {
    let mut of_commit: BTreeMap<String, Vec<&String>> = BTreeMap::new();
    let mut unknown = Vec::new();
    for version in versions {
        let name = version.strip_suffix("-dirty").unwrap_or(version);
        let name = format!("{name}^{{commit}}");
        let words = [
            "rev-parse",
            "--verify",
            "--quiet",
            "--end-of-options",
            &name,
        ];
        match git(folder, &words, "") {
            Ok(commit) => of_commit
                .entry(commit.trim().to_owned())
                .or_default()
                .push(version),
            Err(_) => unknown.push(version),
        }
    }
    (of_commit, unknown)
}

fn notes(folder: &Path, ordered: &[&str], unknown: &[&String], versions: usize) -> Vec<Note> {
    let mut notes = Vec::new();
    if let Some(first) = unknown.first() {
        let left_out = HistoryFact::NotCommits {
            versions: unknown.len() as u64,
            of: versions as u64,
            first: (*first).clone(),
        };
        notes.push(left_out.into());
    }
    let is_apart = |pair: &&[&str]| {
        let words = ["merge-base", "--is-ancestor", pair[0], pair[1]];
        git(folder, &words, "").is_err()
    };
    let apart = ordered.windows(2).filter(is_apart).count();
    if apart > 0 {
        let (steps, of) = (apart as u64, ordered.len() as u64 - 1);
        notes.push(HistoryFact::BetweenBranches { steps, of }.into());
    }
    notes
}

/// What git prints; else why not.
fn git(folder: &Path, words: &[&str], input: &str) -> Result<String, String> {
    let mut child = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(words)
        .env("GIT_OPTIONAL_LOCKS", "0")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("cannot start `git`: {error}"))?;
    if let Some(mut stdin) = child.stdin.take() {
        // Git reads all of its input before it prints; what it does not want it closes.
        let _ = stdin.write_all(input.as_bytes());
    }
    let output = child
        .wait_with_output()
        .map_err(|error| error.to_string())?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let message = String::from_utf8_lossy(&output.stderr);
    Err(message.lines().next().unwrap_or("it failed").to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ancestors_come_before_descendants() {
        let folder = tempfile::tempdir().unwrap();
        let run = |words: &[&str]| {
            let who = ["-c", "user.name=n", "-c", "user.email=e@localhost"];
            let words = [&who, words].concat();
            git(folder.path(), &words, "").unwrap().trim().to_owned()
        };
        run(&["init", "--quiet", "--initial-branch=main"]);
        let mut commits = Vec::new();
        for number in 0..4 {
            run(&[
                "commit",
                "--quiet",
                "--allow-empty",
                "-m",
                &number.to_string(),
            ]);
            commits.push(run(&["rev-parse", "--short=12", "HEAD"]));
        }
        run(&["tag", "v1", &commits[1]]);
        let order = |versions: &[&str]| {
            let versions: Vec<String> = versions.iter().map(ToString::to_string).collect();
            git_order(folder.path(), &versions)
        };
        let dirty = format!("{}-dirty", commits[2]);
        let found = order(&[
            &commits[3],
            &dirty,
            "v1",
            &commits[2],
            &commits[0],
            "--all",
            "nothing",
        ]);
        let found = found.unwrap();
        let expected = [&commits[0], "v1", &commits[2], &dirty, &commits[3]];
        assert_eq!(found.versions, expected);
        assert_eq!(
            Note::texts(&found.notes),
            ["2 of 7 versions are no commits of the repository and are left out, such as `--all`"]
        );
        run(&["checkout", "--quiet", "-b", "side", &commits[0]]);
        run(&["commit", "--quiet", "--allow-empty", "-m", "side"]);
        let side = run(&["rev-parse", "HEAD"]);
        let found = order(&[&side, &commits[3], &commits[0]]).unwrap();
        assert_eq!(found.versions[0], commits[0]);
        assert_eq!(
            Note::texts(&found.notes),
            ["1 of 2 steps are between branches: neither commit is the other's ancestor"]
        );
        assert!(
            order(&["nothing"])
                .unwrap_err()
                .message
                .contains("no version is a commit")
        );
        let none = tempfile::tempdir().unwrap();
        let failure = git_order(none.path(), &["v1".to_owned()]).unwrap_err();
        assert!(failure.message.starts_with("cannot ask git"), "{failure:?}");
    }
}
