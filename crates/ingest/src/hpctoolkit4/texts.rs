//! Texts of `meta.db`, each read once.

use std::collections::HashMap;

use super::bytes::View;

/// Most bytes of a text; what is longer is cut.
const MAX_TEXT: usize = 64 << 10;

/// Texts by the pointer to them.
///
/// Pointers may point into one text from many sides, so all texts together are held to the size
/// of the file: what goes beyond that is not in the file once, and is left out.
pub(super) struct Texts<'a> {
    view: View<'a>,
    known: HashMap<u64, Option<String>>,
    budget: u64,
    num_lost: u64,
}

impl<'a> Texts<'a> {
    pub(super) fn new(view: View<'a>) -> Self {
        Self {
            view,
            known: HashMap::new(),
            budget: view.len(),
            num_lost: 0,
        }
    }

    /// The text at a pointer; none at a null pointer, or outside of the file.
    pub(super) fn get(&mut self, at: u64) -> Option<&str> {
        if at == 0 {
            return None;
        }
        let (view, budget, num_lost) = (self.view, &mut self.budget, &mut self.num_lost);
        let text = self.known.entry(at).or_insert_with(|| {
            let read = view.text(at, MAX_TEXT).ok();
            let text = read.filter(|text| text.len() as u64 <= *budget);
            let Some(text) = text else {
                *num_lost += 1;
                return None;
            };
            *budget -= text.len() as u64;
            Some(String::from_utf8_lossy(text).into_owned())
        });
        text.as_deref()
    }

    /// Texts that are not in the file.
    pub(super) fn num_lost(&self) -> u64 {
        self.num_lost
    }
}
