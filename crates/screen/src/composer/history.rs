//! Earlier prompts.

use super::chip::Piece;
use std::collections::VecDeque;

/// The maximum number of prompts.
const PROMPTS: usize = 1000;

/// The maximum size of all prompts, in bytes.
const BYTES: usize = 32 << 20;

/// The earlier prompts, the newest last, and the place in them.
#[derive(Debug, Default)]
pub(super) struct History {
    prompts: VecDeque<Vec<Piece>>,
    bytes: usize,
    /// The prompt that the composer shows, and the text that it had before.
    shown: Option<(usize, Vec<Piece>)>,
}

fn size(prompt: &[Piece]) -> usize {
    let of = |piece: &Piece| match piece {
        Piece::Text(text) => text.len(),
        Piece::Paste(text) => text.len(),
        Piece::Image(image) => image.path().as_os_str().len(),
    };
    prompt.iter().map(of).sum()
}

impl History {
    /// Adds a prompt. It replaces an equal one, and the oldest ones go if there are too many.
    pub(super) fn add(&mut self, prompt: Vec<Piece>) {
        self.shown = None;
        if size(&prompt) == 0 {
            return;
        }
        if let Some(at) = self.prompts.iter().position(|known| *known == prompt) {
            self.remove(at);
        }
        self.bytes += size(&prompt);
        self.prompts.push_back(prompt);
        while self.prompts.len() > PROMPTS || self.bytes > BYTES && self.prompts.len() > 1 {
            self.remove(0);
        }
    }

    fn remove(&mut self, at: usize) {
        if let Some(prompt) = self.prompts.remove(at) {
            self.bytes -= size(&prompt);
        }
    }

    /// Returns the prompt before the one that is shown. The first time, keeps the current text.
    pub(super) fn previous(&mut self, current: impl FnOnce() -> Vec<Piece>) -> Option<&[Piece]> {
        let next = self.shown.as_ref().map_or(self.prompts.len(), |(at, _)| *at).checked_sub(1)?;
        match &mut self.shown {
            Some((at, _)) => *at = next,
            None => self.shown = Some((next, current())),
        }
        self.prompts.get(next).map(Vec::as_slice)
    }

    /// Returns the prompt after the one that is shown; behind the newest one, the text that the
    /// composer had before.
    pub(super) fn next(&mut self) -> Option<Vec<Piece>> {
        let (at, draft) = self.shown.take()?;
        match self.prompts.get(at + 1) {
            Some(prompt) => {
                let prompt = prompt.clone();
                self.shown = Some((at + 1, draft));
                Some(prompt)
            }
            None => Some(draft),
        }
    }

    /// Stops showing a prompt: the text is a draft of its own now.
    pub(super) fn leave(&mut self) {
        self.shown = None;
    }

    /// Returns the prompts, the newest first.
    pub(super) fn newest_first(&self) -> impl Iterator<Item = &[Piece]> {
        self.prompts.iter().rev().map(Vec::as_slice)
    }
}
