//! Images, audio and documents that a provider does not get, or refuses.

use crate::conversation::conversation_kind::ConversationKind;
use crate::models::{LeftOut, Model, ModelError};
use crate::session::memory::{Memory, Record};
use crate::tools::fit::one_line;
use crate::turn::answer::{Answer, FailedCall, FailureReason, answer, tell};
use crate::turn::usage_report::charge_failed_attempts;
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
fn listed(pieces: &[String]) -> String {
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

/// Repeats a call that failed because of media, or may have: first without the media since the last
/// answer, which are new to the provider, then without any. If that helps, these media stay out of
/// the conversation, also after it is loaded, and the person is told. Otherwise they are not to
/// blame, and the conversation is unchanged. Returns `None` in that case, and otherwise the answer,
/// which may have been cut off.
pub(super) async fn without_media(
    memory: &mut Memory,
    turn: &Turn,
    model: &dyn Model,
    error: &ModelError,
) -> Result<Option<std::result::Result<Answer, FailedCall>>> {
    let before = memory.conversation.messages().to_vec();
    let why = format!("the provider refused it: {}", one_line(&reason(error), 300));
    let mut fewer = usize::MAX;
    for last in [Some(memory.conversation.since_answer()), None] {
        let dropped = memory.conversation.drop_media(last, &why);
        // The second attempt would be the same as the first.
        if dropped.is_empty() || dropped.len() == fewer {
            memory.conversation.replace_messages(before.clone());
            continue;
        }
        fewer = dropped.len();
        let again = answer(model, memory, turn).await;
        match again {
            Err(FailedCall { why: reason, said: None, lost, .. }) => {
                memory.conversation.replace_messages(before.clone());
                charge_failed_attempts(memory, turn, model, &lost).await?;
                match reason {
                    FailureReason::Turn(error) => return Err(error),
                    FailureReason::Model(error) if error.may_be_about_media() => {}
                    FailureReason::Model(_) => return Ok(None),
                }
            }
            accepted => {
                report_dropped(memory, turn, error, last, &why, &dropped).await?;
                return Ok(Some(accepted));
            }
        }
    }
    Ok(None)
}

/// Stores that these media were dropped, and tells the person.
async fn report_dropped(
    memory: &Memory,
    turn: &Turn,
    error: &ModelError,
    last: Option<usize>,
    why: &str,
    dropped: &[String],
) -> Result<()> {
    if memory.conversation.kind() == ConversationKind::Agent {
        turn.remember(&Record::DroppedMedia { last, why: why.to_owned() }).await?;
    }
    let title = format!(
        "The provider refused {} ({}): the request was repeated without it",
        listed(dropped),
        one_line(&reason(error), 300)
    );
    let mut notice = Notice::new(NoticeSeverity::Warning, title);
    notice.description = Some(
        "Later requests leave it out too. Attach it again in another format or a smaller size."
            .to_owned(),
    );
    tell(turn, notice).await
}

/// What the provider said.
fn reason(error: &ModelError) -> String {
    match error {
        ModelError::RefusedMedia { said, status, .. }
        | ModelError::BadRequest { said, status, .. }
            if said.is_empty() =>
        {
            format!("status {status}")
        }
        ModelError::RefusedMedia { said, .. }
        | ModelError::BadRequest { said, .. }
        | ModelError::TooLarge { said, .. }
        | ModelError::Overflow { said, .. } => said.trim_end_matches('.').to_owned(),
        error => error.to_string(),
    }
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
