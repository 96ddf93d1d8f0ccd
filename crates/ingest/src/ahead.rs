//! Items that are made on another thread while they are taken.

use std::convert::Infallible;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread;

/// Items of a batch: so many that a batch costs more than handing it over.
const BATCH: usize = 1 << 13;
/// Batches that wait to be taken.
const WAITING: usize = 4;

/// Takes all items, in their order. After the first batch, they are made on a thread of their own: the two halves of
/// the work go on at once. Few items are not worth a thread.
///
/// # Errors
/// The first error of `take`; the items after it are not taken.
pub(crate) fn try_take_all<I, E>(
    items: &mut I,
    mut take: impl FnMut(I::Item) -> Result<(), E>,
) -> Result<(), E>
where
    I: Iterator + Send,
    I::Item: Send,
{
    let mut num_items = 0;
    let mut first = items.by_ref().take(BATCH).inspect(|_| num_items += 1);
    first.try_for_each(&mut take)?;
    if num_items < BATCH {
        return Ok(());
    }
    let is_done = thread::scope(|scope| {
        let (full, filled) = sync_channel(WAITING);
        let (empty, emptied) = channel();
        let source = &mut *items;
        let maker = thread::Builder::new().name("ahead".to_owned());
        let maker = maker.spawn_scoped(scope, move || make(source, &full, &emptied));
        if maker.is_err() {
            return Ok(false);
        }
        take_batches(filled, &empty, &mut take).map(|()| true)
    })?;
    if is_done {
        return Ok(());
    }
    // The system has no further thread.
    items.try_for_each(take)
}

/// The same where nothing can fail.
pub(crate) fn take_all<I>(items: &mut I, mut take: impl FnMut(I::Item))
where
    I: Iterator + Send,
    I::Item: Send,
{
    let taken = try_take_all(items, |item| {
        take(item);
        Ok::<(), Infallible>(())
    });
    taken.unwrap_or_else(|never| match never {});
}

fn make<I: Iterator>(
    items: &mut I,
    full: &SyncSender<Vec<I::Item>>,
    emptied: &Receiver<Vec<I::Item>>,
) {
    loop {
        let mut batch = emptied.try_recv().unwrap_or_default();
        batch.extend(items.take(BATCH));
        // Nobody takes any more after an error.
        if batch.is_empty() || full.send(batch).is_err() {
            return;
        }
    }
}

fn take_batches<T, E>(
    filled: Receiver<Vec<T>>,
    empty: &Sender<Vec<T>>,
    take: &mut impl FnMut(T) -> Result<(), E>,
) -> Result<(), E> {
    for mut batch in filled {
        batch.drain(..).try_for_each(&mut *take)?;
        // The other thread has ended once all items are made.
        let _ = empty.send(batch);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn all_items_come_in_order() {
        for num_items in [0, 1, BATCH - 1, BATCH, BATCH + 1, 9 * BATCH + 7] {
            let mut taken = Vec::new();
            let mut items = 0..num_items;
            take_all(&mut items, |item| taken.push(item));
            assert!(taken.into_iter().eq(0..num_items), "{num_items} items");
            assert_eq!(items.next(), None);
        }
    }

    #[test]
    fn only_many_items_have_a_thread() {
        let makers = |num_items: usize| {
            let mut makers = Vec::new();
            let mut items = (0..num_items).map(|_| thread::current().id());
            take_all(&mut items, |maker| makers.push(maker));
            makers.into_iter().collect::<HashSet<_>>()
        };
        let own = HashSet::from([thread::current().id()]);
        assert_eq!(makers(BATCH - 1), own);
        assert_eq!(makers(BATCH + 1).len(), 2);
    }

    #[test]
    fn an_error_ends_it() {
        for last in [3, BATCH, 5 * BATCH + 1] {
            let mut taken = 0;
            let result = try_take_all(&mut (0..), |item: usize| {
                taken += 1;
                if item == last { Err(item) } else { Ok(()) }
            });
            assert_eq!((result, taken), (Err(last), last + 1));
        }
    }

    #[test]
    #[should_panic(expected = "a scoped thread panicked")]
    fn a_panic_of_the_maker_is_not_lost() {
        let mut items = (0..4 * BATCH).inspect(|&item| assert!(item < 2 * BATCH));
        take_all(&mut items, |_| {});
    }
}
