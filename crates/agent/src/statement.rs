//! What can be said about a session in a turn and beside it: one implementation for
//! [`Turn`](crate::Turn) and [`SessionHandle`](crate::SessionHandle).

use crate::open_session::OpenSession;
use crate::state::State;
use crate::{Error, Result};
use attache_protocol::v1::{AvailableCommand, Cost, Notice, NoticeSeverity};
use attache_protocol::{Meta, Patch};
use attache_session::{EventBody, Labels};

/// Something about a session that its author states.
#[derive(Debug, Clone)]
pub(crate) enum Statement {
    Title(String),
    TitleByPerson(String),
    Meta(Meta),
    Labels(Labels),
    Commands(Vec<AvailableCommand>),
    Usage { used: u64, size: u64, cost: Option<Cost> },
    Notice(Notice),
}

impl Statement {
    /// Whether it may be stated at all; what does not depend on the session's state.
    pub(crate) fn checked(self) -> Result<Self> {
        match &self {
            Self::Title(title) => return normal(title).map(Self::Title),
            Self::TitleByPerson(title) => return normal(title).map(Self::TitleByPerson),
            Self::Commands(commands) => {
                let slashed = |command: &&AvailableCommand| {
                    command.name.starts_with('/') || command.name.is_empty()
                };
                if let Some(command) = commands.iter().find(slashed) {
                    let name = &command.name;
                    return Err(Error::invalid(format!(
                        "the command {name:?} needs a name without a slash"
                    )));
                }
            }
            Self::Usage { cost: Some(cost), .. } => {
                if !cost.amount.is_finite() || cost.amount < 0.0 || cost.currency.trim().is_empty()
                {
                    return Err(Error::invalid(
                        "a cost is an amount from 0 on and a currency or another unit",
                    ));
                }
            }
            Self::Notice(notice) => {
                if notice.title.trim().is_empty() {
                    return Err(Error::invalid("a notice needs a title"));
                }
                if let NoticeSeverity::Unknown(severity) = &notice.severity
                    && !severity.starts_with('_')
                {
                    return Err(Error::invalid(format!(
                        "the severity {severity} of a notice must begin with \"_\""
                    )));
                }
            }
            Self::Meta(_) | Self::Labels(_) | Self::Usage { .. } => {}
        }
        Ok(self)
    }
}

fn normal(title: &str) -> Result<String> {
    attache_session::title(title).ok_or_else(|| Error::invalid("a title must not be blank"))
}

impl OpenSession {
    /// The statement becomes part of the session, and a line where the client takes it.
    pub(crate) fn state_that(&self, state: &mut State, statement: Statement) -> Result<()> {
        match statement {
            Statement::Title(title) => match state.session.info().titled_by_person() {
                // One that a person set stays (TITLE-03).
                true => Ok(()),
                false => self.change_info(state, Patch::Set(title), Patch::Keep),
            },
            Statement::TitleByPerson(title) => self.store_title(state, title),
            Statement::Meta(meta) => self.change_info(state, Patch::Keep, Patch::Set(meta)),
            Statement::Labels(labels) => {
                match Labels::change(&Labels::of(state.session.info()), &labels) {
                    Some(patch) => self.change_info(state, Patch::Keep, Patch::Set(patch)),
                    None => Ok(()),
                }
            }
            Statement::Commands(commands) => self.post(state, EventBody::Commands(commands)),
            Statement::Usage { used, size, cost } => {
                self.post(state, EventBody::Usage { used, size: Some(size), cost })
            }
            Statement::Notice(notice) => self.post(state, EventBody::Notice(notice)),
        }
    }
}
