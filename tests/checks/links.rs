//! Relative links in Markdown files lead to files and headings that exist.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use sheaf_tests::workspace_root;

use crate::tidy::{read, tracked};

/// Number of links below which this test would have stopped finding them.
const MIN_LINKS: usize = 100;

/// A link of a Markdown file, with its line from 1.
struct Link {
    line: usize,
    target: String,
}

#[test]
fn relative_links_lead_to_files_and_headings() {
    let mut faults = Vec::new();
    let mut checked = 0;
    for path in tracked(&["md"]) {
        for link in links(&read(&path)) {
            if !is_file_link(&path, &link.target) {
                continue;
            }
            checked += 1;
            if let Some(fault) = link_fault(&path, &link.target) {
                faults.push(format!("{}:{}: {fault}", path.display(), link.line));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(checked >= MIN_LINKS, "only {checked} links were found");
}

#[test]
fn the_guide_lists_all_its_pages() {
    let summary = Path::new("docs/SUMMARY.md");
    let listed: BTreeSet<PathBuf> = links(&read(summary))
        .iter()
        .map(|link| resolve(summary, &link.target))
        .collect();
    let mut missing = Vec::new();
    for path in tracked(&["md"]) {
        if path.starts_with("docs") && path != summary && !listed.contains(&path) {
            missing.push(path.display().to_string());
        }
    }
    assert!(missing.is_empty(), "not listed: {}", missing.join(", "));
}

#[test]
fn anchors_follow_the_headings() {
    let text = "# Build & test\n```\n# a comment\n```\n## `@new`: the runs\n### Again\n### Again\n";
    let found: Vec<String> = anchors(text).into_iter().collect();
    assert_eq!(found, ["again", "again-1", "build--test", "new-the-runs"]);
}

#[test]
fn links_in_code_are_none() {
    let text = "[a](b.md) `[c](d.md)` [`e`](f.md#g)\n```\n[h](i.md)\n```\n![j k\nl](m.png)\n";
    let found: Vec<_> = links(text)
        .into_iter()
        .map(|link| (link.line, link.target))
        .collect();
    let expected = [(1, "b.md"), (1, "f.md#g"), (6, "m.png")];
    assert_eq!(found, expected.map(|(line, to)| (line, to.to_owned())));
}

/// Inline links and images of a text, outside of code.
fn links(text: &str) -> Vec<Link> {
    let mut found = Vec::new();
    let (mut is_fenced, mut is_code) = (false, false);
    for (number, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            is_fenced = !is_fenced;
            continue;
        }
        if is_fenced {
            continue;
        }
        if line.trim().is_empty() {
            is_code = false;
        }
        let plain = without_code(line, &mut is_code);
        for rest in plain.split("](").skip(1) {
            let target = rest.split([')', ' ']).next().unwrap_or_default();
            found.push(Link {
                line: number + 1,
                target: target.to_owned(),
            });
        }
    }
    found
}

/// The line without inline code. `is_code` carries code that goes on in the next line.
fn without_code(line: &str, is_code: &mut bool) -> String {
    let mut plain = String::new();
    for character in line.chars() {
        if character == '`' {
            *is_code = !*is_code;
        } else if !*is_code {
            plain.push(character);
        }
    }
    plain
}

/// Whether the target is a file of the repository: neither an address, nor an item of Rust as the
/// READMEs of crates link to.
fn is_file_link(from: &Path, target: &str) -> bool {
    let is_address = target.contains("://") || target.starts_with("mailto:");
    let is_name = target.chars().all(|c| c.is_alphanumeric() || c == '_');
    let is_item = from.starts_with("crates") && (is_name || target.contains("::"));
    !is_address && !is_item
}

fn link_fault(from: &Path, target: &str) -> Option<String> {
    let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
    let to = resolve(from, file);
    if !workspace_root().join(&to).exists() {
        return Some(format!("`{target}` does not exist"));
    }
    let is_markdown = to.extension().is_some_and(|ending| ending == "md");
    if anchor.is_empty() || !is_markdown || anchors(&read(&to)).contains(anchor) {
        return None;
    }
    Some(format!("{} has no heading `#{anchor}`", to.display()))
}

/// The file that a link leads to, relative to the root; the linking file itself if it is empty.
fn resolve(from: &Path, file: &str) -> PathBuf {
    if file.is_empty() {
        return from.to_path_buf();
    }
    let mut path = from.parent().unwrap_or(from).to_path_buf();
    for part in Path::new(file).components() {
        match part {
            Component::ParentDir => {
                path.pop();
            }
            Component::Normal(name) => path.push(name),
            _ => {}
        }
    }
    path
}

/// Anchors of the headings of a text, by GitHub's rule: lower case, without punctuation, `-` for
/// blanks, and a number after a repeated one.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut found = BTreeSet::new();
    let mut is_fenced = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            is_fenced = !is_fenced;
        }
        let title = line.trim_start_matches('#');
        let level = line.len() - title.len();
        if is_fenced || level == 0 || level > 6 || !title.starts_with(' ') {
            continue;
        }
        let name = slug(title);
        let count = counts.entry(name.clone()).or_default();
        let anchor = match *count {
            0 => name,
            repeats => format!("{name}-{repeats}"),
        };
        *count += 1;
        found.insert(anchor);
    }
    found
}

fn slug(title: &str) -> String {
    let kept = |c: &char| c.is_alphanumeric() || matches!(c, '-' | '_' | ' ');
    let lower = title.trim().to_lowercase();
    lower
        .chars()
        .filter(kept)
        .collect::<String>()
        .replace(' ', "-")
}
