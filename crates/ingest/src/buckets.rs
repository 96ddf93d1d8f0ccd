//! Items by a small number, in linear time and two allocations, keeping their order.

/// Numbers of items by bucket.
pub(crate) struct Buckets {
    /// Where each bucket begins in `items`; one more than there are buckets.
    starts: Vec<u32>,
    items: Vec<u32>,
}

impl Buckets {
    /// Distributes the items `0..num_items`; those without a bucket are left out.
    pub(crate) fn new(
        num_items: usize,
        num_buckets: usize,
        bucket: impl Fn(u32) -> Option<u32>,
    ) -> Self {
        let numbers = || 0..u32::try_from(num_items).unwrap_or(u32::MAX);
        let mut starts = vec![0; num_buckets + 1];
        let of = |item| {
            bucket(item)
                .map(|at| at as usize)
                .filter(|&at| at < num_buckets)
        };
        for at in numbers().filter_map(of) {
            starts[at + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let len = starts.last().copied().unwrap_or(0);
        let mut items = vec![0; len as usize];
        // Each start moves to the end of its bucket, which is the start of the next.
        for item in numbers() {
            if let Some(at) = of(item) {
                items[starts[at] as usize] = item;
                starts[at] += 1;
            }
        }
        starts.rotate_right(1);
        starts[0] = 0;
        Self { starts, items }
    }

    pub(crate) fn get(&self, bucket: usize) -> &[u32] {
        match self.starts.get(bucket..bucket + 2) {
            Some(&[start, end]) => &self.items[start as usize..end as usize],
            _ => &[],
        }
    }

    /// All items, bucket by bucket.
    pub(crate) fn into_items(self) -> impl Iterator<Item = u32> {
        self.items.into_iter()
    }

    /// The same without giving them up.
    pub(crate) fn items(&self) -> &[u32] {
        &self.items
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_is_kept() {
        let keys = [2, 0, 9, 2, 0];
        let buckets = Buckets::new(keys.len(), 3, |item| Some(keys[item as usize]));
        let lists: Vec<&[u32]> = (0..4).map(|at| buckets.get(at)).collect();
        assert_eq!(lists, [&[1, 4][..], &[], &[0, 3], &[]]);
        assert_eq!(buckets.items(), [1, 4, 0, 3]);
        assert!(Buckets::new(0, 0, |_| None).items().is_empty());
    }
}
