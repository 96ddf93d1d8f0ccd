//! Recordings of DAG Recorder: the hierarchy of tasks, sections and leaves of a task-parallel
//! program, read as a stream into 40 bytes per node.

mod dag;
mod layout;
mod names;
mod read;
mod tables;

pub(crate) use tables::READER;
