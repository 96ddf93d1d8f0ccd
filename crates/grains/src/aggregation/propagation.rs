//! How values of grains become values of the groups around them.

/// How the value of a group follows from the values of its children.
///
/// A group shows the worst of what it hides, so the rule follows from the direction of a metric:
/// [`Maximum`](Self::Maximum) where higher is worse, [`Minimum`](Self::Minimum) where lower is
/// worse. Absent values do not take part; a group of absent values alone has none.
///
/// Source: "Towards Aggregated Grain Graphs", 2017, section 3.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Propagation {
    /// The sum: times and counts, of which a group has as much as its grains together.
    Sum,
    /// The least: metrics of which lower is worse, such as parallel benefit, instantaneous
    /// parallelism, and computation per stall.
    Minimum,
    /// The greatest: metrics of which higher is worse, such as work deviation, load balance,
    /// scatter, and stall per computation.
    Maximum,
    /// The upper median of the children's values, where neither end is the worst. It is a median of
    /// medians: grouping the same grains otherwise changes it.
    UpperMedian,
    /// 1 where any value is not 0, else 0: flags, such as being on the critical path.
    Any,
}
