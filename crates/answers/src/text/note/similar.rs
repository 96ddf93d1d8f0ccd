//! Facts about the similarity of runs in English.

use std::fmt;

use super::{Runs, quoted};
use crate::SimilarFact;

impl fmt::Display for SimilarFact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoParameterVaries
            | Self::StandsFor { .. }
            | Self::FewerClusters { .. }
            | Self::OnALine
            | Self::OnePlace { .. }
            | Self::HighStress { .. } => self.of_pictures(f),
            Self::NoClusters { min_silhouette } => write!(
                f,
                "the runs are not in clusters: no division reaches a silhouette of {min_silhouette}; a given threshold \
                 divides them all the same"
            ),
            Self::AllStructuresDiffer => f.write_str("no two runs have the same structure"),
            Self::SomeStructuresDiffer {
                differ,
                of,
                alike,
                run,
            } => write!(
                f,
                "{} of {of} differ in structure from the {} like `{run}`; compare times group by group, not in total",
                Runs(*differ),
                Runs(*alike)
            ),
            Self::SmallValuesLeftOut { values, below } => write!(
                f,
                "{values} values of groups below {} % of every run are left out",
                100.0 * below
            ),
            Self::PairsNotCompared { pairs } => write!(
                f,
                "{pairs} pairs of runs have nothing that could be compared; they count as far apart as any pair"
            ),
            Self::MembersCountAsOne { same_workers } => {
                let why = if *same_workers {
                    "the runs have loops"
                } else {
                    "the runs had different numbers of workers"
                };
                write!(
                    f,
                    "{why}, so members of teams and chunks of loops count as one each; the form `counted` compares \
                     every grain"
                )
            }
            Self::LoopsNotCompared { region, runs } => write!(
                f,
                "{} did not record all loops of `{region}`, as runtimes do not report static loops of GCC: the missing \
                 loops are not compared",
                Runs(*runs)
            ),
            Self::ContextsCompared { with_grains, of } => write!(
                f,
                "{with_grains} of {of} runs have grains, so contexts are compared, which all have"
            ),
        }
    }
}

impl SimilarFact {
    fn of_pictures(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoParameterVaries => {
                f.write_str("no parameter varies, so runs are drawn by what they do only")
            }
            Self::StandsFor { parameter, same } => write!(
                f,
                "`{parameter}` stands for {} too, which divide the runs in the same way",
                quoted(same)
            ),
            Self::FewerClusters { by, found, asked } => write!(
                f,
                "{found} of {asked} clusters by {by}: the runs are in no more places than that"
            ),
            Self::OnALine => f.write_str("fewer than 3 runs lie on a line whatever they do"),
            Self::OnePlace { by } => write!(f, "all runs are in one place by {by}"),
            Self::HighStress { by, stress, limit } => write!(
                f,
                "two dimensions do not hold the distances by {by}: the stress of {stress:.2} is above {limit}"
            ),
            _ => Ok(()),
        }
    }
}
