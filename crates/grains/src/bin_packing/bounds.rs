//! Bounds on the number of bins, for sizes in descending order.

/// First-fit decreasing: each item goes into the first bin with room for it. n log n, by a tree of
/// the most room among bins.
pub(super) fn first_fit_decreasing(sizes: &[i64], capacity: i64) -> u32 {
    let width = sizes.len().next_power_of_two();
    // Leaves are bins, the node k has children 2k and 2k + 1.
    let mut room = vec![capacity; 2 * width];
    let mut bins = 0;
    for &size in sizes {
        let mut node = 1;
        while node < width {
            let left = 2 * node;
            node = if room[left] >= size { left } else { left + 1 };
        }
        bins = bins.max(node - width + 1);
        room[node] -= size;
        while node > 1 {
            node /= 2;
            room[node] = room[2 * node].max(room[2 * node + 1]);
        }
    }
    u32::try_from(bins).unwrap_or(u32::MAX)
}

/// The bound L2: for every size k up to half the capacity, items larger than capacity − k are alone, those
/// above half are in bins of their own, and those from k on fill what is left. n log n.
pub(super) fn lower(sizes: &[i64], capacity: i64) -> u32 {
    let mut before = Vec::with_capacity(sizes.len() + 1);
    let mut sum = 0_i128;
    before.push(sum);
    for &size in sizes {
        sum += i128::from(size);
        before.push(sum);
    }
    let wide = i128::from(capacity).max(1);
    let above = |limit: i64| sizes.partition_point(|&size| size > limit);
    let half = above(capacity / 2);
    let mut most = 0_i128;
    let small = sizes.get(half..).unwrap_or_default();
    let mut try_with = |least: i64, end: usize| {
        let alone = above(capacity - least);
        let large = before[half] - before[alone.min(half)];
        let rest = before[end] - before[half];
        let left = wide * (half - alone.min(half)) as i128 - large;
        let more = (rest - left).max(0);
        most = most.max(half as i128 + (more + wide - 1) / wide);
    };
    try_with(0, sizes.len());
    for (at, &least) in small.iter().enumerate() {
        let is_last_of_size = small.get(at + 1) != Some(&least);
        if is_last_of_size {
            try_with(least, half + at + 1);
        }
    }
    u32::try_from(most).unwrap_or(u32::MAX)
}
