//! The table of calls that wait for a reply. It does no I/O.
//!
//! Every inserted call is taken out exactly once: with its reply, or when the table ends. An id is
//! never reused (CANCEL-19), so a late or repeated reply cannot match another call.
//!
//! A call whose caller gave up no longer counts as open. The table keeps the last [`GIVEN_UP`] such
//! calls, because a late reply can still matter: for example, it may name a terminal to release.
//! Older ones are forgotten.

use std::collections::{BTreeMap, HashMap};

/// The number of calls that the table keeps after their callers gave up.
pub(crate) const GIVEN_UP: usize = 256;

/// Open calls by id.
#[derive(Debug)]
pub(crate) struct Pending<T, E> {
    next: i64,
    open: HashMap<i64, T>,
    /// Calls whose callers gave up, oldest first.
    given_up: BTreeMap<i64, T>,
    ended: Option<E>,
}

/// The call that a reply belongs to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Taken<T> {
    /// Its caller is waiting.
    Open(T),
    /// Its caller gave up.
    Late(T),
    /// The table has no such call.
    Unknown,
}

impl<T, E: Clone> Pending<T, E> {
    pub(crate) fn new() -> Self {
        Self { next: 0, open: HashMap::new(), given_up: BTreeMap::new(), ended: None }
    }

    /// Adds a call and returns its id. If the table has ended, returns the call and the reason.
    pub(crate) fn insert(&mut self, call: T) -> Result<i64, (T, E)> {
        if let Some(end) = &self.ended {
            return Err((call, end.clone()));
        }
        let id = self.next;
        self.next += 1;
        self.open.insert(id, call);
        Ok(id)
    }

    /// Returns whether the call with this id waits for its reply.
    pub(crate) fn is_open(&self, id: i64) -> bool {
        self.open.contains_key(&id)
    }

    /// Takes the call with this id.
    pub(crate) fn take(&mut self, id: i64) -> Taken<T> {
        match self.open.remove(&id) {
            Some(call) => Taken::Open(call),
            None => self.given_up.remove(&id).map_or(Taken::Unknown, Taken::Late),
        }
    }

    /// Records that the caller gave up. Returns the call that the table forgets in exchange, if
    /// any.
    pub(crate) fn give_up(&mut self, id: i64) -> Option<T> {
        self.given_up.insert(id, self.open.remove(&id)?);
        if self.given_up.len() <= GIVEN_UP {
            return None;
        }
        self.given_up.pop_first().map(|(_, oldest)| oldest)
    }

    /// Ends the table: nothing can be inserted any more. Returns all calls in the order of their
    /// ids. If the table has already ended, returns no calls.
    pub(crate) fn end(&mut self, end: E) -> Vec<T> {
        self.ended.get_or_insert(end);
        let given_up = std::mem::take(&mut self.given_up);
        let mut open: Vec<(i64, T)> = self.open.drain().chain(given_up).collect();
        open.sort_unstable_by_key(|(id, _)| *id);
        open.into_iter().map(|(_, call)| call).collect()
    }

    /// The number of calls whose callers are waiting.
    pub(crate) fn len(&self) -> usize {
        self.open.len()
    }

    /// The number of calls that are kept although their callers gave up.
    pub(crate) fn given_up(&self) -> usize {
        self.given_up.len()
    }
}

#[cfg(test)]
mod tests {
    use super::{GIVEN_UP, Pending, Taken};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_call_ends_exactly_once(
            steps in proptest::collection::vec((0u8..5, 0i64..20), 0..200),
        ) {
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
                    2 => match table.take(id) {
                        Taken::Open(call) | Taken::Late(call) => ended.push(call),
                        Taken::Unknown => {}
                    },
                    4 => ended.extend(table.give_up(id)),
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
    #[test]
    fn calls_without_a_caller_take_bounded_memory_and_keep_their_ids() {
        let mut table: Pending<i64, &str> = Pending::new();
        let count = i64::try_from(GIVEN_UP).unwrap_or(0);
        for call in 0..3 * count {
            assert_eq!(table.insert(call), Ok(call));
            let forgotten = table.give_up(call);
            assert_eq!(forgotten, (call >= count).then(|| call - count));
        }
        assert_eq!((table.len(), table.given_up()), (0, GIVEN_UP));
        assert_eq!(table.give_up(3 * count - 1), None, "given up before");
        assert_eq!(table.take(3 * count - 1), Taken::Late(3 * count - 1));
        assert_eq!(table.take(3 * count - 1), Taken::Unknown, "answered twice");
        assert_eq!(table.take(0), Taken::Unknown, "forgotten");
        assert_eq!(table.insert(7), Ok(3 * count));
        assert_eq!(table.take(3 * count), Taken::Open(7));
        assert_eq!(table.end("gone").len(), GIVEN_UP - 1);
        assert_eq!(table.given_up(), 0);
    }
}
