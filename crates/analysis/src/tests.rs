//! What holds for every ensemble, and ensembles of extreme shape.

mod outside;
mod properties;
mod shapes;
