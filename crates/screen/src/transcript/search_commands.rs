//! Searching in a transcript.

use super::Transcript;
use super::search::{Search, SearchStatus};

impl Transcript {
    /// Searches a text, selects no row, and shows the first match at or below the top. Upper and
    /// lower case differ only if the text has upper case. An empty text ends the search.
    pub fn search(&mut self, query: &str) -> SearchStatus {
        if self.search.as_ref().is_some_and(|search| search.query == query) {
            return self.search_status();
        }
        let from = self.top().row;
        self.generation += 1;
        self.search = Search::new(query, &self.rows, self.generation);
        if let Some(search) = &mut self.search {
            search.next(from);
        }
        self.show_match();
        self.search_status()
    }

    /// Shows the next match, or the previous one.
    pub fn search_next(&mut self, backwards: bool) -> SearchStatus {
        let from = self.top().row;
        if let Some(search) = &mut self.search {
            if backwards {
                search.previous(from)
            } else {
                search.next(from)
            };
        }
        self.show_match();
        self.search_status()
    }

    /// Returns the row of the current match, if it belongs to an earlier message that is not read.
    pub(crate) fn unread_match(&self) -> Option<usize> {
        let (row, _) = self.search.as_ref()?.current?;
        self.rows.slots.get(row).filter(|slot| slot.is_empty()).map(|_| row)
    }

    /// Shows the current match once its row is read.
    pub(crate) fn show_read_match(&mut self) {
        self.show_match();
    }

    /// Returns the number of matches and which one is current.
    pub fn search_status(&self) -> SearchStatus {
        self.search.as_ref().map_or(SearchStatus { current: 0, total: 0 }, Search::status)
    }

    /// Whether a search is active.
    pub fn is_searching(&self) -> bool {
        self.search.is_some()
    }

    /// Shows the current match, and unfolds its row if the match is hidden.
    fn show_match(&mut self) {
        let Some(mut search) = self.search.take() else { return };
        let mut place = search.place(&mut self.rows);
        if place.is_none()
            && let Some((row, _)) = search.current
        {
            self.unfold(row);
            place = search.place_nearest(&mut self.rows);
        }
        self.search = Some(search);
        let Some(place) = place else { return };
        let top = self.top();
        let last = self.rows.down(top, self.frame.height.saturating_sub(2));
        if place < top || place > last {
            self.top = self.rows.up(place, self.frame.height / 3);
            self.follows = false;
            self.settle();
        }
    }
}
