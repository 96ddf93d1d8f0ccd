//! Whether others than its owner may change a store.

use std::fmt;
use std::path::PathBuf;

use rustix::fs::{FileType, Mode, Stat};

use crate::disk::{self, Place, kind_of};
use crate::layout::Layout;

/// A folder or file that others may write to: they can replace what is in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exposure {
    /// The folder or file.
    pub path: PathBuf,
    /// Who may write to it.
    pub writers: Writers,
}

/// Who else may write to a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Writers {
    /// Another user, who owns it.
    Owner(u32),
    /// The members of a group.
    Group(u32),
    /// Everybody on the machine.
    Everybody,
}

impl fmt::Display for Writers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Owner(user) => write!(f, "user `{user}`, who owns it,"),
            Self::Group(group) => write!(f, "group `{group}`"),
            Self::Everybody => f.write_str("everybody"),
        }
    }
}

/// The store's files and folders, and the folders that it is in, as far as others may write to them. Modes and
/// owners are looked at, access lists are not; links are left out, because they are not followed. The superuser's
/// stores may have any owner, as in containers they do. A group of the same number as its user is taken for that
/// user's own, as many systems set it up. Costs a look at each file.
pub(crate) fn exposures(layout: &Layout) -> Vec<Exposure> {
    let root = layout.root().path();
    let canonical = root.canonicalize().unwrap_or(root);
    let above = canonical.ancestors().skip(1).filter_map(|folder| {
        let stat = rustix::fs::stat(folder).ok()?;
        exposure(folder.to_owned(), &stat, true)
    });
    let below = places(layout.root());
    let below = below
        .iter()
        .filter_map(|(place, stat)| exposure(place.path(), stat, false));
    above.chain(below).collect()
}

/// Folders below a store are not deeper than this.
const DEPTH: usize = 4;

/// A folder with all that is below it, without following links.
fn places(root: &Place) -> Vec<(Place, Stat)> {
    let own = root.stat().map(|stat| (root.clone(), stat));
    let mut found: Vec<(Place, Stat)> = own.into_iter().collect();
    let mut first = 0;
    for _ in 0..DEPTH {
        let level = first..found.len();
        first = level.end;
        for at in level {
            let (place, stat) = &found[at];
            if kind_of(stat) == FileType::Directory {
                // A folder that cannot be listed cannot be read either, which the question reports.
                found.extend(disk::stats(place).unwrap_or_default());
            }
        }
    }
    found.retain(|(_, stat)| kind_of(stat) != FileType::Symlink);
    found
}

/// In a sticky folder, only owners rename and remove: a store's parent may be one.
fn exposure(path: PathBuf, stat: &Stat, may_be_sticky: bool) -> Option<Exposure> {
    let user = rustix::process::geteuid().as_raw();
    let mode = Mode::from_raw_mode(stat.st_mode);
    let is_sticky = may_be_sticky && mode.contains(Mode::SVTX);
    let writers = if user != 0 && stat.st_uid != user && stat.st_uid != 0 {
        Writers::Owner(stat.st_uid)
    } else if mode.contains(Mode::WOTH) && !is_sticky {
        Writers::Everybody
    } else if mode.contains(Mode::WGRP) && !is_sticky && stat.st_gid != stat.st_uid {
        Writers::Group(stat.st_gid)
    } else {
        return None;
    };
    Some(Exposure { path, writers })
}
