//! Images, audio and documents that a provider refuses.

use crate::conversation::conversation_kind::ConversationKind;
use crate::models::{Model, ModelError};
use crate::notices::tell;
use crate::session::memory::{Memory, Record};
use crate::tools::fit::one_line;
use crate::turn::answer::{Answer, FailedCall, FailureReason, answer};
use crate::turn::left_out::listed;
use crate::turn::usage_report::charge_failed_attempts;
use attache_agent::{Result, Turn};
use attache_protocol::v1::{Notice, NoticeSeverity};

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
