//! Tells the person about images, audio and documents that a model does not get.

use crate::models::{LeftOut, Model};
use crate::notices::tell;
use crate::session::memory::Memory;
use attache_agent::{Result, Turn};
use attache_protocol::v1::{Notice, NoticeSeverity};

/// How many attachments a notice names.
const NAMED: usize = 3;

/// Tells the person once about each attachment that is left out of the requests to this model.
pub(super) async fn report_left_out(
    memory: &mut Memory,
    turn: &Turn,
    model: &dyn Model,
    left_out: Vec<LeftOut>,
) -> Result<()> {
    // The offline model does not read attachments at all.
    if !model.writes() {
        return Ok(());
    }
    let new: Vec<_> =
        left_out.into_iter().filter(|one| memory.told_left_out.insert(one.id)).collect();
    let Some(first) = new.first() else { return Ok(()) };
    let pieces: Vec<_> = new.iter().map(|one| format!("{} ({})", one.piece, one.why)).collect();
    let title = format!("Not sent to {}: {}", model.title(), listed(&pieces));
    let mut notice = Notice::new(NoticeSeverity::Warning, title);
    notice.description = Some(first.advice.to_owned());
    tell(turn, notice).await
}

/// Lists the first different pieces, and the number of the others.
pub(super) fn listed(pieces: &[String]) -> String {
    let mut groups: Vec<(&str, usize)> = Vec::new();
    for piece in pieces {
        match groups.iter_mut().find(|(other, _)| *other == piece) {
            Some((_, count)) => *count += 1,
            None => groups.push((piece, 1)),
        }
    }
    let group = |(piece, count): &(&str, usize)| match count {
        1 => (*piece).to_owned(),
        count => format!("{count} × {piece}"),
    };
    let mut list = groups.iter().take(NAMED).map(group).collect::<Vec<_>>().join("; ");
    let more: usize = groups.iter().skip(NAMED).map(|(_, count)| count).sum();
    if more > 0 {
        list.push_str(&format!("; and {more} more"));
    }
    list
}

#[cfg(test)]
mod tests {
    use super::listed;

    #[test]
    fn equal_pieces_are_counted_and_long_lists_are_cut() {
        let pieces =
            |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        assert_eq!(listed(&pieces(&["a"])), "a");
        assert_eq!(listed(&pieces(&["a", "b", "a"])), "2 × a; b");
        assert_eq!(listed(&pieces(&["a", "b", "c", "d", "d"])), "a; b; c; and 2 more");
    }
}
