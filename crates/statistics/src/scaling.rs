//! Scaling studies: how a time changes with the number of workers p, and how the time was spent.
//!
//! Numbers only. A [`Series`] holds one time for each distinct p: the median of the runs there. Laws
//! with few parameters ([`Amdahl`], [`Usl`], [`Gustafson`]) say what limits a program; a [`Pmnf`] says
//! how a quantity grows. [`Loss`], [`Pop`] and [`Bounds`] account for workers × time in exact integers.

mod laws;
mod loss;
mod order;
mod pmnf;
mod resample;
mod series;
mod usl;

pub use laws::{Amdahl, Gustafson, Line, LogLaw, PowerLaw};
pub use loss::{Bounds, Communication, Loss, Pop, Spent, WithinBounds};
pub use order::{Inversion, Trend, out_of_order, trend};
pub use pmnf::{Pmnf, PmnfTerm};
pub use resample::{RESAMPLES, Resampling};
pub use series::{Scaled, Series, SeriesError};
pub use usl::{Usl, usl_start};
