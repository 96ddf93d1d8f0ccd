//! Path keys of all runs, each once, and the place of every grain among them.

/// No place: of grains that cannot be matched.
pub(crate) const NONE: u32 = u32::MAX;

/// Distinct keys in the order of their first insertion, and a hash table of their places.
///
/// Runs of one program mostly have their grains in the same order, which does not depend on the
/// schedule, so a key is first looked for behind the one found before it.
#[derive(Debug, Default)]
pub(crate) struct KeyIndex {
    keys: Vec<i64>,
    /// Place of a key and 1, at its hash or behind; 0 is empty. At most half full.
    table: Vec<u32>,
}

/// Places of the grains of one run.
#[derive(Debug)]
pub(crate) struct Mapped {
    /// Place of each row's key; `NONE` where it cannot be matched.
    pub(crate) slots: Vec<u32>,
    /// Rows whose keys had no place yet, ascending.
    pub(crate) new_rows: Vec<u32>,
    /// Rows that cannot be matched.
    pub(crate) unmatchable: usize,
    /// Which places this run has.
    seen: Vec<u64>,
    /// Places that it has more than once.
    doubles: Vec<u32>,
}

impl KeyIndex {
    pub(crate) fn len(&self) -> usize {
        self.keys.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    pub(crate) fn into_keys(self) -> Vec<i64> {
        self.keys
    }

    /// Finds the places of a run's keys. Rows with the flag of schedule-dependent paths have none.
    pub(crate) fn map(&self, keys: &[i64], flags: &[i32]) -> Mapped {
        let mut mapped = Mapped {
            slots: vec![NONE; keys.len()],
            new_rows: Vec::new(),
            unmatchable: 0,
            seen: vec![0; self.keys.len().div_ceil(64)],
            doubles: Vec::new(),
        };
        let mut next = 0;
        for (row, (&key, &flags)) in (0_u32..).zip(keys.iter().zip(flags)) {
            if flags & sheaf_model::table::flags::SCHEDULE_DEPENDENT != 0 {
                mapped.unmatchable += 1;
                continue;
            }
            let slot = match self.keys.get(next) {
                Some(&known) if known == key => Some(next),
                _ => self.find(key),
            };
            match slot {
                Some(slot) => {
                    next = slot + 1;
                    mapped.see(row as usize, slot);
                }
                None => mapped.new_rows.push(row),
            }
        }
        mapped
    }

    /// Makes room for so many more keys.
    pub(crate) fn reserve(&mut self, more: usize) {
        let wanted = (self.keys.len() + more).saturating_mul(2).max(16);
        if wanted <= self.table.len() {
            return;
        }
        self.keys.reserve(more);
        self.table = vec![0; wanted.next_power_of_two()];
        for (slot, &key) in (1_u32..).zip(&self.keys) {
            let mut at = self.start(key);
            while self.table[at] != 0 {
                at = (at + 1) & (self.table.len() - 1);
            }
            self.table[at] = slot;
        }
    }

    /// The place of a key, and whether it is new. There must be room.
    pub(crate) fn insert(&mut self, key: i64) -> (usize, bool) {
        let mut at = self.start(key);
        while let Some(slot) = self.table[at].checked_sub(1) {
            if self.keys[slot as usize] == key {
                return (slot as usize, false);
            }
            at = (at + 1) & (self.table.len() - 1);
        }
        self.keys.push(key);
        self.table[at] = u32::try_from(self.keys.len()).unwrap_or(NONE);
        (self.keys.len() - 1, true)
    }

    fn find(&self, key: i64) -> Option<usize> {
        if self.table.is_empty() {
            return None;
        }
        let mut at = self.start(key);
        loop {
            let slot = self.table[at].checked_sub(1)? as usize;
            if self.keys[slot] == key {
                return Some(slot);
            }
            at = (at + 1) & (self.table.len() - 1);
        }
    }

    /// Keys are hashes, but those of some sources are not ours, so they are mixed once more.
    fn start(&self, key: i64) -> usize {
        let mixed = key.cast_unsigned().wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let bits = self.table.len().trailing_zeros();
        // The highest bits are mixed best; the table has at least 16 places.
        usize::try_from(mixed >> (64 - bits)).unwrap_or(0)
    }
}

impl Mapped {
    /// Notes that a row has a place.
    pub(crate) fn see(&mut self, row: usize, slot: usize) {
        let (word, bit) = (slot / 64, 1 << (slot % 64));
        if word >= self.seen.len() {
            self.seen.resize(word + 1, 0);
        }
        let place = u32::try_from(slot).unwrap_or(NONE);
        if self.seen[word] & bit != 0 {
            self.doubles.push(place);
        }
        self.seen[word] |= bit;
        self.slots[row] = place;
    }

    /// Takes their places from rows whose key is not the only one of the run.
    pub(crate) fn leave_out_doubles(&mut self) {
        if self.doubles.is_empty() {
            return;
        }
        self.doubles.sort_unstable();
        self.doubles.dedup();
        for slot in &mut self.slots {
            if *slot != NONE && self.doubles.binary_search(slot).is_ok() {
                *slot = NONE;
                self.unmatchable += 1;
            }
        }
    }
}
