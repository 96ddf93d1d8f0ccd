//! The tree of contexts inside one group.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{Histogram, Note};

/// Answer of `hierarchy`: contexts in pre-order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Hierarchy {
    /// `hierarchy/1`
    pub schema: String,
    /// The lens that was answered, in text.
    pub lens: String,
    /// The group whose inside this is.
    pub group: String,
    /// Its name.
    pub name: String,
    /// Ids of the runs that the arrays run parallel to.
    pub runs: Vec<String>,
    /// Unit of every value.
    pub unit: String,
    /// Contexts, parents first. The first is an artificial root with the group's name when
    /// several contexts enter the group.
    pub sites: Vec<Site>,
    /// Contexts left out because the tree is larger than the answer's bound.
    pub omitted: u64,
    /// Contexts of the same definition below one another that were cut to make a tree.
    pub recursive_edges_cut: u64,
    /// Greatest histogram count of any site.
    pub max_bin_count: u64,
    /// Greatest exclusive value of any site and run.
    pub max_exclusive: f64,
    /// Things a reader must know.
    pub notes: Vec<Note>,
}

/// A call site: one context of the ensemble.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Site {
    /// Context id; the group's id for an artificial root.
    pub id: String,
    /// Index of the parent in the answer; absent for the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<u32>,
    /// Name of its definition.
    pub name: String,
    /// Kind of its definition.
    pub kind: String,
    /// `file:line`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Rows below the top, from 0.
    pub depth: u32,
    /// Inclusive value per run.
    pub inclusive_by_run: Vec<Option<f64>>,
    /// Exclusive value per run.
    pub exclusive_by_run: Vec<Option<f64>>,
    /// Greatest inclusive value over runs.
    pub max_inclusive: f64,
    /// Greatest exclusive value over runs.
    pub max_exclusive: f64,
    /// Runs in which it occurs.
    pub present: u64,
    /// Histogram of the lens's metric and scope over runs.
    pub histogram: Histogram,
}
