//! A bound on the memory of all answers that clients have not received completely.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};

use actix_web::body::{BodySize, MessageBody};
use actix_web::web::Bytes;

/// Bytes of answers in memory from which on no question begins.
const MAX_HELD: usize = 512 << 20;

/// Bytes that are handed to a connection at a time: it asks for more when the client has taken most of them.
const PIECE: usize = 64 << 10;

/// Bytes of the answers in memory. Cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct Held(Arc<AtomicUsize>);

/// The content of an answer, counted until it is dropped.
pub(crate) struct HeldBody {
    left: Bytes,
    size: usize,
    held: Held,
}

impl Held {
    /// Whether clients have to take answers before there are more.
    pub(crate) fn is_full(&self) -> bool {
        self.0.load(Ordering::Relaxed) >= MAX_HELD
    }

    /// Counts the bytes of an answer.
    pub(crate) fn hold(&self, bytes: Vec<u8>) -> HeldBody {
        self.0.fetch_add(bytes.len(), Ordering::Relaxed);
        HeldBody {
            size: bytes.len(),
            left: bytes.into(),
            held: self.clone(),
        }
    }
}

impl MessageBody for HeldBody {
    type Error = std::convert::Infallible;

    fn size(&self) -> BodySize {
        BodySize::Sized(self.size as u64)
    }

    fn poll_next(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Self::Error>>> {
        if self.left.is_empty() {
            return Poll::Ready(None);
        }
        let piece = self.left.len().min(PIECE);
        Poll::Ready(Some(Ok(self.left.split_to(piece))))
    }
}

impl Drop for HeldBody {
    fn drop(&mut self) {
        self.held.0.fetch_sub(self.size, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_count_until_they_are_dropped() {
        let held = Held::default();
        let body = held.hold(vec![0; MAX_HELD]);
        assert!(held.is_full());
        assert_eq!(body.size(), BodySize::Sized(MAX_HELD as u64));
        drop(body);
        assert!(!held.is_full());
    }

    #[test]
    fn answers_are_handed_out_in_pieces() {
        let bytes: Vec<u8> = (0..251).cycle().take(3 * PIECE + 7).collect();
        let mut body = Held::default().hold(bytes.clone());
        let mut taken = Vec::new();
        let mut context = Context::from_waker(std::task::Waker::noop());
        while let Poll::Ready(Some(Ok(piece))) = Pin::new(&mut body).poll_next(&mut context) {
            assert!(piece.len() <= PIECE);
            taken.extend_from_slice(&piece);
        }
        assert_eq!(taken, bytes);
    }
}
