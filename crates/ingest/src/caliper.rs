//! Readers of Caliper's formats: the stream of text records, and json-split.

mod attribute;
mod fields;
mod groups;
mod metric;
mod number;
mod rows;
mod split;
mod split_header;
mod text;
mod tree;

pub(crate) use split::READER as SPLIT_READER;
pub(crate) use text::READER;

use sheaf_model::table::OUTSIDE;

/// Name of the node of kind [`OUTSIDE`] for values outside of any region.
const NO_PATH: &str = "(no path)";

/// Channel whose records are the profile of the run; others are further measurements of it.
const PROFILE_CHANNEL: &str = "regionprofile";
