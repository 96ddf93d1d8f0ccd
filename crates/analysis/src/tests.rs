//! What holds for every ensemble, and ensembles of extreme shape.

mod properties;
mod shapes;
