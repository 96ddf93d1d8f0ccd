//! Python's functions as profilers of Python name them.

use std::borrow::Cow;

/// The path of a source file as programs import it: what is below the folder of packages or of
/// the standard library, else the file alone. Where that folder is states nothing about the function.
pub(crate) fn short_path(path: &str) -> &str {
    let folder_ends = path.match_indices(['/', '\\']).map(|(at, _)| at + 1);
    let mut folders = folder_ends
        .clone()
        .zip(std::iter::once(0).chain(folder_ends));
    let mut short = None;
    for (end, start) in &mut folders {
        let folder = path.get(start..end).unwrap_or_default();
        let folder = folder.trim_end_matches(['/', '\\']);
        let is_library = matches!(folder, "site-packages" | "dist-packages")
            || folder.strip_prefix("python").is_some_and(is_version);
        if is_library {
            short = path.get(end..);
        }
    }
    let file = || path.rsplit(['/', '\\']).next();
    short
        .or_else(file)
        .filter(|short| !short.is_empty())
        .unwrap_or(path)
}

/// A name without the addresses in it: `<function main at 0x7f9b>` is `<function main>`.
pub(crate) fn without_addresses(name: &str) -> Cow<'_, str> {
    const MARK: &str = " at 0x";
    if !name.contains(MARK) {
        return Cow::Borrowed(name);
    }
    let mut parts = name.split(MARK);
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        plain.push_str(part.trim_start_matches(|c: char| c.is_ascii_hexdigit()));
    }
    Cow::Owned(plain)
}

/// `3.11`, as in `lib/python3.11`.
fn is_version(text: &str) -> bool {
    text.contains('.')
        && text
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_no_names() {
        let names = ["f", "<function f at 0x7f9b>", "<g object at 0xA.x at 0x>"];
        let plain = names.map(|name| without_addresses(name).into_owned());
        assert_eq!(plain, ["f", "<function f>", "<g object.x>"]);
    }

    #[test]
    fn folders_of_one_machine_are_cut() {
        let paths = [
            "/usr/lib/python3.7/contextlib.py",
            "/home/me/venv/lib/python3.11/site-packages/numpy/core/__init__.py",
            "C:\\Python\\Lib\\site-packages\\a\\b.py",
            "/home/me/python/solve.py",
            "solve.py",
            "<built-in>",
            "/python3.7/",
            "~",
        ];
        assert_eq!(
            paths.map(short_path).join("\n"),
            "contextlib.py\nnumpy/core/__init__.py\na\\b.py\nsolve.py\nsolve.py\n<built-in>\n/python3.7/\n~"
        );
    }
}
