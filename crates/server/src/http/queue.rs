//! Whose question is computed next: clients take turns, each with a bounded line of its own.

use std::collections::{BTreeMap, VecDeque};
use std::future::Future;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

/// Questions of one client that wait at most.
const MAX_WAITING_OF_CLIENT: usize = 64;
/// Questions of all clients that wait at most.
const MAX_WAITING: usize = 1024;

/// Who asks. Questions of one client are answered in their order, those of several clients in turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Client {
    /// Where the connection comes from.
    pub(crate) address: Option<IpAddr>,
    /// Whether it is a program that shows the token itself; browsers send a cookie.
    pub(crate) is_program: bool,
}

/// Places for questions that are computed at once, and the lines of those that wait for one. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Queue {
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    /// Number of free slots.
    free: usize,
    next_ticket: u64,
    lines: BTreeMap<Client, VecDeque<u64>>,
    /// Clients with a line, the next in turn first.
    turns: VecDeque<Client>,
    waiting: BTreeMap<u64, Option<Waker>>,
    /// Tickets that got a slot and have not taken it yet.
    called: BTreeMap<u64, Option<Waker>>,
}

/// The line is full.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Full;

/// A place in a line, given up when dropped.
pub(crate) struct Waiting {
    queue: Queue,
    client: Client,
    ticket: u64,
    is_over: bool,
}

/// A place for one question, given back when dropped.
pub(crate) struct Place(Queue);

impl Queue {
    /// A queue with this number of slots.
    pub(crate) fn new(places: usize) -> Self {
        let state = State {
            free: places,
            ..State::default()
        };
        Self {
            state: Arc::new(Mutex::new(state)),
        }
    }

    /// Gets in line.
    ///
    /// # Errors
    /// When the line of this client, or that of all, is full.
    pub(crate) fn enter(&self, client: Client) -> Result<Waiting, Full> {
        let mut state = self.lock();
        let own = state.lines.get(&client).map_or(0, VecDeque::len);
        if own >= MAX_WAITING_OF_CLIENT || state.waiting.len() >= MAX_WAITING {
            return Err(Full);
        }
        let ticket = state.next_ticket;
        state.next_ticket += 1;
        state.waiting.insert(ticket, None);
        state.lines.entry(client).or_default().push_back(ticket);
        if own == 0 {
            state.turns.push_back(client);
        }
        state.call();
        drop(state);
        Ok(Waiting {
            queue: self.clone(),
            client,
            ticket,
            is_over: false,
        })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Gives free places to those whose turn it is.
    fn call(&mut self) {
        while self.free > 0
            && let Some(client) = self.turns.pop_front()
        {
            let Some(line) = self.lines.get_mut(&client) else {
                continue;
            };
            let ticket = line.pop_front();
            if line.is_empty() {
                self.lines.remove(&client);
            } else {
                self.turns.push_back(client);
            }
            if let Some((ticket, waker)) = ticket.and_then(|it| self.waiting.remove_entry(&it)) {
                self.free -= 1;
                if let Some(waker) = &waker {
                    waker.wake_by_ref();
                }
                self.called.insert(ticket, waker);
            }
        }
    }

    fn leave(&mut self, client: Client, ticket: u64) {
        if self.called.remove(&ticket).is_some() {
            self.free += 1;
            self.call();
            return;
        }
        self.waiting.remove(&ticket);
        let Some(line) = self.lines.get_mut(&client) else {
            return;
        };
        line.retain(|it| *it != ticket);
        if line.is_empty() {
            self.lines.remove(&client);
            self.turns.retain(|it| *it != client);
        }
    }
}

impl Future for Waiting {
    type Output = Place;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Place> {
        let queue = self.queue.clone();
        let mut state = queue.lock();
        if state.called.remove(&self.ticket).is_some() {
            drop(state);
            self.is_over = true;
            return Poll::Ready(Place(queue));
        }
        if let Some(waker) = state.waiting.get_mut(&self.ticket) {
            *waker = Some(context.waker().clone());
        }
        Poll::Pending
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if !self.is_over {
            self.queue.lock().leave(self.client, self.ticket);
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.free += 1;
        state.call();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(last: u8) -> Client {
        Client {
            address: Some(IpAddr::from([127, 0, 0, last])),
            is_program: false,
        }
    }

    fn place(waiting: &mut Waiting) -> Option<Place> {
        let mut context = Context::from_waker(Waker::noop());
        match Pin::new(waiting).poll(&mut context) {
            Poll::Ready(place) => Some(place),
            Poll::Pending => None,
        }
    }

    /// Letters are clients; answers the order in which their questions get the one place.
    fn order(asked: &str) -> String {
        let queue = Queue::new(1);
        let mut first = queue.enter(client(0)).unwrap();
        let mut taken = place(&mut first);
        assert!(taken.is_some());
        let mut lines: Vec<(char, Waiting)> = asked
            .chars()
            .map(|name| (name, queue.enter(client(name as u8)).unwrap()))
            .collect();
        let mut order = String::new();
        while !lines.is_empty() {
            drop(taken.take());
            let next = lines.iter_mut().enumerate().find_map(|(at, (_, waiting))| {
                let place = place(waiting)?;
                Some((at, place))
            });
            let (at, place) = next.unwrap();
            taken = Some(place);
            order.push(lines.remove(at).0);
        }
        order
    }

    #[test]
    fn clients_take_turns() {
        for (asked, expected) in [
            ("aaa", "aaa"),
            ("aaab", "abaa"),
            ("aabbc", "abcab"),
            ("aaaabb", "ababaa"),
        ] {
            assert_eq!(order(asked), expected, "{asked}");
        }
    }

    #[test]
    fn a_line_has_a_bound_and_other_clients_their_own() {
        let queue = Queue::new(1);
        let mut first = queue.enter(client(1)).unwrap();
        let taken = place(&mut first);
        let line: Vec<Waiting> = (0..MAX_WAITING_OF_CLIENT)
            .map(|_| queue.enter(client(1)).unwrap())
            .collect();
        assert_eq!(queue.enter(client(1)).map(drop), Err(Full));
        let mut other = queue.enter(client(2)).unwrap();
        drop(line);
        drop(taken);
        assert!(place(&mut other).is_some());
        assert!(queue.enter(client(1)).is_ok());
    }

    #[test]
    fn who_leaves_frees_the_place_at_once() {
        let queue = Queue::new(1);
        let mut first = queue.enter(client(1)).unwrap();
        let taken = place(&mut first);
        let called = queue.enter(client(1)).unwrap();
        let mut last = queue.enter(client(2)).unwrap();
        // The place is that of the second, who leaves before taking it.
        drop(taken);
        assert!(place(&mut last).is_none());
        drop(called);
        assert!(place(&mut last).is_some());
        let state = queue.lock();
        assert!(state.lines.is_empty() && state.turns.is_empty() && state.waiting.is_empty());
        assert_eq!((state.free, state.called.len()), (1, 0));
    }
}
