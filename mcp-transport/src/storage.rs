//! Storage for what is put together from many pieces, used again once nobody holds what was put
//! together in it before.
//!
//! Memory that is taken anew for each large message is memory that the kernel has to clear anew,
//! which costs more than reading the message.

use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::{Bytes, BytesMut};

/// What is taken at least.
const CAPACITY_MIN: usize = 8 * 1024;
/// Bound: the most that is kept without being in use.
const KEPT_MAX: usize = 4 * 1024 * 1024;
/// Which part of the storage a whole has to fill to be handed out where it stands.
// Bound: whoever keeps a whole keeps all of the storage behind it.
const SHARE_MIN: usize = 8;

/// Puts pieces together.
#[derive(Debug, Default)]
pub(crate) struct Storage {
    buffer: BytesMut,
    /// How much is allocated behind the buffer, also where the buffer no longer shows it.
    allocated: usize,
    /// How long the next whole may well be, by those before it; it halves from one to the next.
    expected: usize,
}

impl Storage {
    pub(crate) fn len(&self) -> usize {
        self.buffer.len()
    }

    pub(crate) fn as_slice(&self) -> &[u8] {
        &self.buffer
    }

    /// Appends a piece. What is allocated at once is at most `len_max`, or what the content needs.
    pub(crate) fn extend(&mut self, piece: &[u8], len_max: usize) {
        self.make_room(piece.len(), len_max);
        self.buffer.extend_from_slice(piece);
    }

    /// Makes room for what is said to come, up to `len_max` in all.
    pub(crate) fn reserve(&mut self, more: usize, len_max: usize) {
        let room = len_max.saturating_sub(self.buffer.len());
        self.make_room(more.min(room), len_max);
    }

    fn make_room(&mut self, more: usize, len_max: usize) {
        let len = self.buffer.len().saturating_add(more);
        if len <= self.buffer.capacity() || self.buffer.try_reclaim(more) {
            return;
        }
        // Doubling, so that many short pieces cost no more than few long ones.
        let wanted = self.buffer.capacity().saturating_mul(2).max(self.expected);
        self.allocated = wanted.max(CAPACITY_MIN).min(len_max).max(len);
        let mut buffer = BytesMut::with_capacity(self.allocated);
        buffer.extend_from_slice(&self.buffer);
        self.buffer = buffer;
    }

    /// Takes the whole out.
    pub(crate) fn take(&mut self) -> Bytes {
        let whole = if self.buffer.len() < self.allocated / SHARE_MIN {
            let copy = Bytes::copy_from_slice(&self.buffer);
            self.buffer.clear();
            copy
        } else {
            self.buffer.split().freeze()
        };
        self.pass(whole.len());
        whole
    }

    /// Drops the pieces so far.
    pub(crate) fn clear(&mut self) {
        self.buffer.clear();
        self.let_go_beyond(KEPT_MAX);
    }

    /// Takes into account how long a whole was; lets go of storage that is much larger than those
    /// lately.
    fn pass(&mut self, len: usize) {
        self.expected = len.min(KEPT_MAX).max(self.expected / 2);
        let fitting = self.expected.max(CAPACITY_MIN).saturating_mul(8);
        self.let_go_beyond(fitting.min(KEPT_MAX));
    }

    fn let_go_beyond(&mut self, allocated_max: usize) {
        if self.allocated > allocated_max {
            *self = Self {
                expected: self.expected,
                ..Self::default()
            };
        }
    }
}

/// Keeps storage between two of those who need it.
#[derive(Debug, Default)]
pub(crate) struct Shelf(Mutex<Storage>);

impl Shelf {
    fn lock(&self) -> MutexGuard<'_, Storage> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the storage; if others have it already, there is new one.
    pub(crate) fn take(&self) -> Storage {
        std::mem::take(&mut self.lock())
    }

    /// Puts storage back. Of several the largest is kept.
    pub(crate) fn put_back(&self, mut storage: Storage) {
        storage.clear();
        let mut kept = self.lock();
        if storage.allocated >= kept.allocated {
            *kept = storage;
        }
    }

    /// Tells of a whole that came in one piece and needed no storage.
    pub(crate) fn pass(&self, len: usize) {
        self.lock().pass(len);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gather(storage: &mut Storage, len: usize) -> Bytes {
        for piece in vec![7; len].chunks(1_000) {
            storage.extend(piece, 1_000_000);
        }
        storage.take()
    }

    #[test]
    fn storage_is_used_again_once_nobody_holds_what_was_in_it() {
        let mut storage = Storage::default();
        let place = gather(&mut storage, 600_000).as_ptr();
        let allocated = storage.allocated;
        for _ in 0..3 {
            assert_eq!(gather(&mut storage, 600_000).as_ptr(), place);
        }
        assert_eq!(storage.allocated, allocated);

        let held = gather(&mut storage, 600_000);
        let other = gather(&mut storage, 500_000);
        assert!(held.iter().chain(&other).all(|byte| *byte == 7));
        assert_eq!((held.len(), other.len()), (600_000, 500_000));
    }

    #[test]
    fn what_is_very_large_is_let_go_of_as_soon_as_it_is_taken_or_dropped() {
        let mut storage = Storage::default();
        for is_taken in [true, false] {
            storage.extend(&vec![7; KEPT_MAX + 1], usize::MAX);
            assert!(storage.allocated > KEPT_MAX);
            if is_taken {
                assert_eq!(storage.take().len(), KEPT_MAX + 1);
            } else {
                storage.clear();
            }
            assert_eq!((storage.allocated, storage.buffer.capacity()), (0, 0));
        }
    }

    #[test]
    fn a_short_one_holds_no_storage_of_a_long_one() {
        let mut storage = Storage::default();
        drop(gather(&mut storage, 600_000));
        let (allocated, held) = (storage.allocated, gather(&mut storage, 1_000));
        assert_eq!(held, vec![7; 1_000]);
        // What is not shared can be written in again.
        assert!(
            held.try_into_mut()
                .is_ok_and(|held| held.capacity() < 8_000)
        );
        assert_eq!(storage.allocated, allocated);
    }

    #[test]
    fn no_more_is_allocated_than_allowed_unless_it_is_needed() {
        let mut storage = Storage::default();
        for _ in 0..900 {
            storage.extend(&[0; 1_000], 1_000_000);
            assert!(storage.allocated <= 1_000_000);
        }
        storage.extend(&[0; 200_000], 1_000_000);
        assert_eq!(storage.allocated, 1_100_000);

        let mut storage = Storage::default();
        storage.reserve(1_000_000, 100);
        assert_eq!(storage.allocated, 100);
    }

    #[test]
    fn storage_of_a_large_one_is_not_kept_for_the_small_ones_after_it() {
        let shelf = Shelf::default();
        let mut storage = shelf.take();
        drop(gather(&mut storage, 1_000_000));
        shelf.put_back(storage);
        shelf.pass(100);
        assert!(shelf.lock().allocated >= 1_000_000);
        for _ in 0..4 {
            shelf.pass(100);
        }
        assert_eq!(shelf.lock().allocated, 0);
    }

    #[test]
    fn what_is_very_large_is_not_kept_at_all_and_the_smaller_one_does_not_replace_the_larger() {
        let shelf = Shelf::default();
        let (mut large, mut small) = (Storage::default(), Storage::default());
        large.reserve(KEPT_MAX + 1, usize::MAX);
        shelf.put_back(large);
        assert_eq!(shelf.lock().allocated, 0);
        let mut large = Storage::default();
        large.reserve(100_000, usize::MAX);
        small.reserve(10_000, usize::MAX);
        shelf.put_back(large);
        shelf.put_back(small);
        assert_eq!(shelf.lock().allocated, 100_000);
    }
}
