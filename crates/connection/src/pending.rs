//! The calls that wait for a reply: pure bookkeeping, no I/O.
//!
//! Every call that is inserted comes out exactly once: by its reply, or when the table is ended. An id is never used twice
//! (CANCEL-19), so a late or repeated reply finds nothing.

use std::collections::HashMap;

/// Open calls by id.
#[derive(Debug)]
pub(crate) struct Pending<T, E> {
    next: i64,
    open: HashMap<i64, T>,
    ended: Option<E>,
}

impl<T, E: Clone> Pending<T, E> {
    pub(crate) fn new() -> Self {
        Self { next: 0, open: HashMap::new(), ended: None }
    }

    /// Opens a call and gives its id; gives the call back with the reason once the table was ended.
    pub(crate) fn insert(&mut self, call: T) -> Result<i64, (T, E)> {
        if let Some(end) = &self.ended {
            return Err((call, end.clone()));
        }
        let id = self.next;
        self.next += 1;
        self.open.insert(id, call);
        Ok(id)
    }

    /// Whether the call that `id` names waits for its reply.
    pub(crate) fn is_open(&self, id: i64) -> bool {
        self.open.contains_key(&id)
    }

    /// Takes the call that `id` names.
    pub(crate) fn take(&mut self, id: i64) -> Option<T> {
        self.open.remove(&id)
    }

    /// Ends the table: nothing can be inserted any more. Gives all open calls in the order they were made; a second end gives none.
    pub(crate) fn end(&mut self, end: E) -> Vec<T> {
        self.ended.get_or_insert(end);
        let mut open: Vec<(i64, T)> = self.open.drain().collect();
        open.sort_unstable_by_key(|(id, _)| *id);
        open.into_iter().map(|(_, call)| call).collect()
    }

    pub(crate) fn len(&self) -> usize {
        self.open.len()
    }
}

#[cfg(test)]
mod tests {
    use super::Pending;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_call_ends_exactly_once(steps in proptest::collection::vec((0u8..4, 0i64..20), 0..200)) {
            let mut table: Pending<u32, &str> = Pending::new();
            let (mut made, mut ended, mut over) = (0u32, Vec::new(), false);
            for (step, id) in steps {
                match step {
                    0 | 1 => match table.insert(made) {
                        Ok(id) => {
                            prop_assert!(!over);
                            prop_assert_eq!(id, i64::from(made), "ids are never reused");
                            made += 1;
                        }
                        Err((call, reason)) => {
                            prop_assert!(over);
                            prop_assert_eq!((call, reason), (made, "gone"));
                        }
                    },
                    2 => ended.extend(table.take(id)),
                    _ if id == 0 => {
                        ended.extend(table.end("gone"));
                        over = true;
                    }
                    _ => {}
                }
            }
            ended.extend(table.end("gone"));
            prop_assert_eq!(table.len(), 0);
            ended.sort_unstable();
            prop_assert_eq!(ended, (0..made).collect::<Vec<_>>());
        }
    }
}
