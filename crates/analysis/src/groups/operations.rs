//! Operations of the lens: split, reveal, focus, hide.

use sheaf_answers::GroupFact;
use sheaf_model::Operation;
use sheaf_model::table::OUTSIDE;

use super::level::Interner;
use super::{GroupId, Grouping, resolve};
use crate::error::Error;
use crate::tree::EnsembleTree;

impl Grouping {
    pub(super) fn apply(
        &mut self,
        tree: &EnsembleTree,
        operation: &Operation,
    ) -> Result<(), Error> {
        // An earlier operation can have left groups without contexts, which are no groups any more.
        self.compact(tree);
        match operation {
            Operation::SplitEntries(name) => self.split(tree, name, Split::Entries),
            Operation::SplitCallees(name) => self.split(tree, name, Split::All),
            Operation::Reveal(name) => self.reveal(tree, name),
            Operation::Focus(name) => self.focus(tree, name),
            Operation::Hide(name) => self.hide(tree, name),
        }
    }

    /// Makes definitions of a module groups of their own: all, or those through which other
    /// groups enter it, wherever in the module they are called.
    fn split(&mut self, tree: &EnsembleTree, name: &str, split: Split) -> Result<(), Error> {
        let group = self.find(tree, name)?;
        if !matches!(self.groups[group].id, GroupId::Labelled { .. }) {
            let name = &self.groups[group].name;
            let group = name.to_string();
            self.notes.push(GroupFact::NotAModule { group }.into());
            return Ok(());
        }
        let is_in = |grouping: &Self, node: usize| grouping.group_of(node) == group;
        let mut is_own = vec![split == Split::All; tree.definitions().len()];
        for node in (0..tree.len()).filter(|&node| is_in(self, node)) {
            let is_entry = tree.parent(node).is_none_or(|caller| !is_in(self, caller));
            is_own[tree.definition_index(node)] |= is_entry;
        }
        let mut interner = Interner::new(&mut self.groups);
        for node in 0..tree.len() {
            if self.group_of[node] as usize == group && is_own[tree.definition_index(node)] {
                self.group_of[node] = interner.definition(tree, node);
            }
        }
        Ok(())
    }

    /// Makes one context a group of its own; what it calls stays where it is.
    fn reveal(&mut self, tree: &EnsembleTree, name: &str) -> Result<(), Error> {
        let node = resolve::context(tree, name)?;
        self.group_of[node] = Interner::new(&mut self.groups).context(tree, node);
        Ok(())
    }

    /// Keeps the contexts of a group, those above and those below. Values do not change.
    fn focus(&mut self, tree: &EnsembleTree, name: &str) -> Result<(), Error> {
        let group = self.find(tree, name)?;
        let mut is_below: Vec<bool> = Vec::with_capacity(tree.len());
        for node in 0..tree.len() {
            let is_in = self.group_of(node) == group;
            is_below.push(is_in || tree.parent(node).is_some_and(|caller| is_below[caller]));
        }
        let mut leads_there = is_below.clone();
        for node in (0..tree.len()).rev() {
            if let Some(caller) = tree.parent(node) {
                leads_there[caller] |= leads_there[node];
            }
        }
        for (is_on_path, leads_there) in self.is_on_path.iter_mut().zip(leads_there) {
            *is_on_path &= leads_there;
        }
        Ok(())
    }

    /// Lets the contexts of a group count for the nearest caller outside of it; of [`OUTSIDE`], unless a group has
    /// that name, leaves out values outside of every region.
    fn hide(&mut self, tree: &EnsembleTree, name: &str) -> Result<(), Error> {
        let group = match self.find(tree, name) {
            Err(Error::UnknownGroup { .. }) if name == OUTSIDE => {
                self.hide_outside(tree);
                return Ok(());
            }
            found => found?,
        };
        if self.groups[group].is_outside {
            self.hide_outside(tree);
            return Ok(());
        }
        let mut has_roots = false;
        for node in 0..tree.len() {
            if self.group_of(node) != group {
                continue;
            }
            match tree.parent(node) {
                // The caller comes first, so it has its final group.
                Some(caller) => self.group_of[node] = self.group_of[caller],
                None => has_roots = true,
            }
        }
        if has_roots {
            let name = &self.groups[group].name;
            let group = name.to_string();
            self.notes.push(GroupFact::NoCaller { group }.into());
        }
        Ok(())
    }
}

impl Grouping {
    /// Contexts without a caller count for no group: their groups are not shown, and shares exclude them.
    fn hide_outside(&mut self, tree: &EnsembleTree) {
        let outside = tree.outside();
        for &node in &outside {
            self.is_on_path[node as usize] = false;
        }
        if outside.is_empty() {
            self.notes.push(GroupFact::NothingOutside.into());
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Split {
    Entries,
    All,
}
