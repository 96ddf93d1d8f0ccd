//! What the readers of both generations of HPCToolkit databases share.

pub(crate) mod folders;
pub(crate) mod frames;
pub(crate) mod metrics;
pub(crate) mod scopes;
