//! The statements that an author can make about a session, in a turn or between turns: one
//! implementation for [`Turn`](crate::Turn) and [`SessionHandle`](crate::SessionHandle).

use crate::session::state::State;
use crate::{Error, Result};
use attache_protocol::v1::{AvailableCommand, Cost, Notice, NoticeSeverity};
use attache_protocol::{Meta, Patch};
use attache_session::{EventBody, Labels};

/// A statement of the author about a session.
#[derive(Debug, Clone)]
pub(crate) enum Statement {
    Title(String),
    TitleByUser(String),
    Meta(Meta),
    Labels(Labels),
    Commands(Vec<AvailableCommand>),
    Usage { used: u64, size: u64, cost: Option<Cost> },
    Notice(Notice),
}

impl Statement {
    /// Checks everything that does not depend on the state of the session.
    pub(crate) fn checked(self) -> Result<Self> {
        match &self {
            Self::Title(title) => return normalized(title).map(Self::Title),
            Self::TitleByUser(title) => return normalized(title).map(Self::TitleByUser),
            Self::Commands(commands) => {
                let slashed = |command: &&AvailableCommand| {
                    command.name.starts_with('/') || command.name.is_empty()
                };
                if let Some(command) = commands.iter().find(slashed) {
                    let name = &command.name;
                    return Err(Error::invalid(format!(
                        "the name of the slash command {name:?} must not be empty or begin with a slash"
                    )));
                }
            }
            Self::Usage { cost: Some(cost), .. } => {
                if !cost.amount.is_finite() || cost.amount < 0.0 || cost.currency.trim().is_empty()
                {
                    return Err(Error::invalid(
                        "a cost needs an amount of at least 0 and a currency or another unit",
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

fn normalized(title: &str) -> Result<String> {
    attache_session::title(title).ok_or_else(|| Error::invalid("a title must not be blank"))
}

impl State {
    /// Applies a statement to the session and sends it where the client supports it.
    pub(crate) fn apply_statement(&mut self, statement: Statement) -> Result<()> {
        match statement {
            Statement::Title(title) => match self.session.info().titled_by_person() {
                // The user's title is kept (TITLE-03).
                true => Ok(()),
                false => self.change_info(Patch::Set(title), Patch::Keep),
            },
            Statement::TitleByUser(title) => self.store_title(title),
            Statement::Meta(meta) => self.change_info(Patch::Keep, Patch::Set(meta)),
            Statement::Labels(labels) => {
                match Labels::change(&Labels::of(self.session.info()), &labels) {
                    Some(patch) => self.change_info(Patch::Keep, Patch::Set(patch)),
                    None => Ok(()),
                }
            }
            Statement::Commands(commands) => self.post(EventBody::Commands(commands)),
            Statement::Usage { used, size, cost } => {
                let cost = cost.map_or(Patch::Keep, Patch::Set);
                self.post(EventBody::Usage { used, size: Some(size), cost })
            }
            Statement::Notice(notice) => self.post(EventBody::Notice(notice)),
        }
    }

    /// Reports the last usage again if the window now has another size.
    pub(crate) fn report_window(&mut self, size: Option<u64>) {
        let usage = self.session.usage();
        let (Some(used), Some(size)) = (usage.used(), size) else { return };
        if usage.size() != Some(size) {
            // An error means that the client is gone.
            let _ = self.apply_statement(Statement::Usage { used, size, cost: None });
        }
    }

    /// Changes the title or the metadata: in the session at once, and on the wire at the pace of
    /// such updates.
    fn change_info(&mut self, title: Patch<String>, meta: Patch<Meta>) -> Result<()> {
        let info = self.session.info();
        attache_session::check_meta(info.meta(), &meta)
            .map_err(|error| Error::invalid(error.to_string()))?;
        if !title.is_keep() {
            self.info.title_changes(info);
        }
        if !meta.is_keep() {
            self.info.meta_changes(info);
        }
        self.record(EventBody::Info { title, updated_at: Patch::Keep, meta });
        self.info_changed()
    }

    /// Stores a title that the user gave: the agent does not replace it (TITLE-03).
    fn store_title(&mut self, title: String) -> Result<()> {
        self.info.title_changes(self.session.info());
        self.record(EventBody::StoredTitle { title, by_person: true });
        self.info_changed()
    }
}
