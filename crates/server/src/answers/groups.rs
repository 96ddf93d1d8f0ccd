//! Questions about groups of the grains of one run.

use std::io::Write;

use sheaf_answers as api;
use sheaf_ensemble::{Error, GroupsQuestion, TreeChoice, TreeExtent};

use super::Answers;

impl Answers {
    /// The figures of a run's aggregation tree, and as much of it as a first picture shows.
    ///
    /// # Errors
    /// As for [`Answers::info`], and when the problem or a metric is none.
    pub fn tree(
        &self,
        run: &str,
        choice: &TreeChoice,
        metrics: Option<&[String]>,
        extent: TreeExtent,
    ) -> Result<api::Tree, Error> {
        self.ask(|view| view.tree(run, choice, metrics, extent))
    }

    /// The children of one group of a run's aggregation tree.
    ///
    /// # Errors
    /// As for [`Answers::tree`], and when there is no such group.
    pub fn groups(&self, run: &str, question: &GroupsQuestion) -> Result<api::Groups, Error> {
        self.ask(|view| view.groups(run, question))
    }

    /// The groups of a run that look most like a group of it or of another run.
    ///
    /// # Errors
    /// As for [`Answers::tree`], and when there is no such group.
    pub fn similar_groups(
        &self,
        run: &str,
        group: u32,
        other: Option<&str>,
    ) -> Result<api::SimilarGroups, Error> {
        self.ask(|view| view.similar_groups(run, group, other))
    }

    /// Writes a run's aggregation tree as text, open down to `depth`.
    ///
    /// # Errors
    /// As for [`Answers::tree`], and what the writer says.
    pub fn tree_text(
        &self,
        run: &str,
        choice: &TreeChoice,
        depth: Option<u32>,
        out: &mut dyn Write,
    ) -> Result<(), Error> {
        self.ask(|view| view.tree_text(run, choice, depth, out))
    }
}
