//! The coding of records: numbers, references, sites.
#![expect(unsafe_code, reason = "writes into the mapped trace file")]
#![expect(
    clippy::inline_always,
    reason = "parts of the hot path, each used in many callbacks: calls would dominate their cost"
)]

use std::sync::atomic::{AtomicU64, Ordering};

use super::{LAST_RENEWAL_NS, SITE_SLOTS, SITE_WAYS, Stream, THREAD_TIME_NS};
use crate::format::{FOREIGN_SLOTS, ID_SHIFT, chunk_field, tag};
use crate::{clock, cpu, process, usage};

impl Stream {
    /// Writes the tag and the time of a record.
    #[inline(always)]
    pub(crate) fn begin(&mut self, tag: u8) {
        let now = if self.has_counter_clock {
            clock::counter()
        } else {
            clock::monotonic_ns()
        };
        // Clocks of processors may differ by a little: time stands still then.
        let mut delta = now.saturating_sub(self.last_ticks);
        self.last_ticks += delta;
        if now >= self.renew_at {
            delta = self.renew(now, delta);
        }
        self.byte(tag);
        self.number(delta);
    }

    /// Writes the tag of a record without a time.
    pub(crate) fn begin_untimed(&mut self, tag: u8) {
        self.byte(tag);
    }

    /// Does periodic tasks before the record that begins; returns the remaining time since the one
    /// before.
    #[cold]
    #[inline(never)]
    fn renew(&mut self, now: u64, delta: u64) -> u64 {
        let mut left = delta;
        if now >= self.pair_due {
            self.renew_pair();
        }
        if now >= self.thread_time_due {
            let used = usage::thread_time();
            self.byte(tag::THREAD_TIME);
            self.number(delta);
            self.number(used.saturating_sub(self.thread_time));
            self.thread_time = used;
            // The rate is not known here; it is near one tick per nanosecond.
            self.thread_time_due = now.saturating_add(THREAD_TIME_NS);
            left = 0;
        }
        self.renew_at = self.pair_due.min(self.thread_time_due);
        left
    }

    /// Renews the pair that serves as the chunk's last when the process is killed.
    fn renew_pair(&mut self) {
        let (ticks, ns) = clock::pair(self.trace.clock);
        let field = |at| {
            // SAFETY: both fields lie in the chunk's header.
            unsafe { AtomicU64::from_ptr(self.chunk.start.add(at).cast()) }
        };
        // Invalid in between, so that no reader sees half of each.
        field(chunk_field::LATER_TICKS).store(0, Ordering::Release);
        field(chunk_field::LATER_NS).store(ns, Ordering::Release);
        field(chunk_field::LATER_TICKS).store(ticks, Ordering::Release);
        // The rate is not known here; it is near one tick per nanosecond.
        self.pair_due = ticks.saturating_add(self.renewal_ns);
        self.renewal_ns = (self.renewal_ns * 2).min(LAST_RENEWAL_NS);
    }

    #[inline(always)]
    fn byte(&mut self, byte: u8) {
        // SAFETY: the chunk has room for the longest event (`record` saw to it).
        unsafe {
            self.at.write(byte);
            self.at = self.at.add(1);
        }
    }

    /// Writes a number: its length in the trailing zero bits of the first byte.
    #[inline(always)]
    pub(crate) fn number(&mut self, value: u64) {
        let bits = 64 - (value | 1).leading_zeros();
        if bits > 56 {
            self.long_number(value);
            return;
        }
        // Bits divided by seven, rounded up, for 1 to 56 bits.
        let len = (bits * 9 + 64) >> 6;
        let word = ((value << 1) | 1) << (len - 1);
        // SAFETY: as in `byte`; bytes after the number are overwritten by the next.
        unsafe {
            self.at.cast::<u64>().write_unaligned(word.to_le());
            self.at = self.at.add(len as usize);
        }
    }

    #[cold]
    #[inline(never)]
    fn long_number(&mut self, value: u64) {
        self.byte(0);
        // SAFETY: as in `byte`.
        unsafe {
            self.at.cast::<u64>().write_unaligned(value.to_le());
            self.at = self.at.add(8);
        }
    }

    /// Writes a signed number in zigzag form.
    #[inline(always)]
    pub(crate) fn signed(&mut self, value: i64) {
        self.number(((value << 1) ^ (value >> 63)).cast_unsigned());
    }

    /// Gives out the next number of a task or region.
    #[inline(always)]
    pub(crate) fn give(&mut self) -> u64 {
        self.last_given += 1;
        self.last_given
    }

    /// Gives out a number to a task that is current from now on.
    #[inline(always)]
    pub(crate) fn give_to_current(&mut self) -> u64 {
        self.current = self.give();
        self.current
    }

    /// Writes a reference to a task or region; 0 is none.
    #[inline(always)]
    pub(crate) fn reference(&mut self, id: u64) {
        let code = if id == self.current {
            u64::from(id != 0)
        } else if id == 0 {
            0
        } else if (id ^ self.last_given) >> ID_SHIFT == 0 {
            (self.last_given - id + 1) << 1
        } else {
            return self.foreign_reference(id);
        };
        self.number(code);
    }

    #[inline(never)]
    fn foreign_reference(&mut self, id: u64) {
        let stream = (id >> ID_SHIFT).wrapping_sub(1);
        let counter = (id & ((1 << ID_SHIFT) - 1)).cast_signed();
        let slot = &mut self.foreign[stream as usize % FOREIGN_SLOTS];
        let delta = counter - slot.cast_signed();
        *slot = counter.cast_unsigned();
        let zigzag = ((delta << 1) ^ (delta >> 63)).cast_unsigned();
        self.number((zigzag + 1) << 1 | 1);
        self.number(stream);
    }

    /// Writes a reference to the acting task, which is current from now on.
    #[inline(always)]
    pub(crate) fn acting(&mut self, id: u64) {
        self.reference(id);
        self.set_current(id);
    }

    #[inline(always)]
    pub(crate) fn set_current(&mut self, id: u64) {
        if id != 0 {
            self.current = id;
        }
    }

    #[inline(always)]
    pub(crate) fn is_current(&self, id: u64) -> bool {
        self.current == id
    }

    /// Writes the identity of a lock.
    pub(crate) fn wait_id(&mut self, id: u64) {
        self.signed(id.wrapping_sub(self.last_wait).cast_signed());
        self.last_wait = id;
    }

    /// The code of a site, defined if need be. Called before the record that uses it begins.
    #[inline(always)]
    pub(crate) fn site(&mut self, address: u64) -> u64 {
        if address == 0 {
            return 0;
        }
        let first = site_slot(address);
        let (known, index) = self.sites[first];
        if known == address {
            u64::from(index) + 1
        } else {
            self.find_site(address, first)
        }
    }

    #[inline(never)]
    fn find_site(&mut self, address: u64, first: usize) -> u64 {
        for way in 1..SITE_WAYS {
            let (known, index) = self.sites[(first + way) % SITE_SLOTS];
            if known == address {
                return u64::from(index) + 1;
            }
        }
        self.define_site(address, first)
    }

    #[cold]
    #[inline(never)]
    fn define_site(&mut self, address: u64, first: usize) -> u64 {
        let snapshot = process::with_shared(|shared| shared.snapshot_of(self.trace, address));
        self.byte(tag::SITE);
        self.number(u64::from(snapshot));
        self.number(address);
        let index = self.site_count;
        self.site_count += 1;
        let free = (0..SITE_WAYS).find(|way| self.sites[(first + way) % SITE_SLOTS].0 == 0);
        let way = free.unwrap_or(index as usize % SITE_WAYS);
        self.sites[(first + way) % SITE_SLOTS] = (address, index);
        u64::from(index) + 1
    }

    /// Notes the processor if it is another than before. Called before a record begins.
    #[inline(always)]
    pub(crate) fn processor(&mut self) {
        if self.cpu_location.is_null() {
            return;
        }
        // SAFETY: the kernel keeps this word of the calling thread valid.
        let cpu = unsafe { self.cpu_location.read_volatile() };
        if cpu != self.cpu {
            self.change_processor(cpu);
        }
    }

    /// The same, where the kernel keeps no word for us and asking costs something.
    pub(crate) fn ask_processor(&mut self) {
        if self.cpu_location.is_null() {
            let cpu = cpu::ask();
            if cpu != self.cpu {
                self.change_processor(cpu);
            }
        } else {
            self.processor();
        }
    }

    #[cold]
    #[inline(never)]
    fn change_processor(&mut self, cpu: u32) {
        self.cpu = cpu;
        // Negative while the kernel has not registered the thread.
        if cpu.cast_signed() >= 0 {
            self.byte(tag::CPU);
            self.number(u64::from(cpu));
        }
    }

    /// Writes what the hardware counters gained. Called after a record that bounds a fragment.
    #[inline(always)]
    pub(crate) fn counters(&mut self) {
        if self.counters.is_some() {
            self.write_counters();
        }
    }

    #[cold]
    #[inline(never)]
    fn write_counters(&mut self) {
        let Some(mut counters) = self.counters.take() else {
            return;
        };
        let gains = counters.gains();
        self.byte(tag::COUNTERS);
        self.number(gains.len() as u64);
        for &gain in gains {
            self.number(gain);
        }
        self.counters = Some(counters);
    }
}

/// Fibonacci hashing: call sites differ in their low bits, but not evenly.
#[inline(always)]
fn site_slot(address: u64) -> usize {
    (address.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as usize % SITE_SLOTS
}
