//! Managing stored sessions, open or not.

use crate::agent::agent_connection::AgentConnection;
use crate::agent::shared_connection::SharedConnection;
use attache_connection::CallError;
use attache_protocol::method::{
    SessionArchive, SessionDelete, SessionSetTitle, SessionStatusQuery, SessionUnarchive,
};
use attache_protocol::v1::{
    ArchiveSessionRequest, DeleteSessionRequest, SessionId, SessionStatus, SessionStatusRequest,
    SetSessionTitleRequest, SetSessionTitleResponse, UnarchiveSessionRequest,
};
use attache_session::EventBody;

/// If the agent does not advertise the capability for a method, the method fails without sending
/// anything, and the error names the capability. Otherwise a method fails if the agent refuses,
/// does not answer in time (`Options::quick`), or is gone.
impl AgentConnection {
    /// Deletes a stored session, if the agent offers that. A session that does not exist counts as
    /// deleted. The agent decides what happens to an open session: close it first.
    pub async fn delete(&self, id: impl Into<SessionId>) -> Result<(), CallError> {
        let params = DeleteSessionRequest::new(id);
        self.0.call::<SessionDelete>(&params, Some(self.0.options.quick), |_| {}).await
    }

    /// Archives a session, if the agent offers that: it is no longer listed by default, and keeps
    /// its id and history. An open session is closed, as by [`crate::SessionHandle::close`].
    /// Archiving a session twice is not an error.
    pub async fn archive(&self, id: impl Into<SessionId>) -> Result<(), CallError> {
        let id = id.into();
        let (params, sessions) = (ArchiveSessionRequest::new(id.clone()), self.0.sessions.clone());
        let fold_reply = move |reply: &Result<(), CallError>| {
            if reply.is_ok() {
                sessions.get(&id).iter().for_each(|live| live.apply([EventBody::Archived(true)]));
                sessions.remove(&id);
            }
        };
        self.0.call::<SessionArchive>(&params, Some(self.0.options.quick), fold_reply).await
    }

    /// Takes a session out of the archive, if the agent can archive sessions. The session is listed
    /// again, but not opened. Calling this twice is not an error.
    pub async fn unarchive(&self, id: impl Into<SessionId>) -> Result<(), CallError> {
        self.0.unarchive(id.into()).await
    }

    /// Returns whether the agent has a session open, if the agent offers that. A state that this
    /// version does not know counts as [`SessionStatus::Saved`].
    ///
    /// The status does not refer to this connection: a session that is [`SessionStatus::Open`] must
    /// also be loaded or resumed before it takes prompts here.
    pub async fn status(&self, id: impl Into<SessionId>) -> Result<SessionStatus, CallError> {
        let params = SessionStatusRequest::new(id);
        let quick = Some(self.0.options.quick);
        let reply = self.0.call::<SessionStatusQuery>(&params, quick, |_| {}).await?;
        Ok(match reply.status {
            SessionStatus::Open => SessionStatus::Open,
            _ => SessionStatus::Saved,
        })
    }

    /// Sets the title of any listed session, if the agent offers that. Returns the title as the
    /// agent stored it. An open session shows that title from then on.
    ///
    /// # Errors
    /// Returns an error if the agent refuses the title, for example because it is empty.
    pub async fn set_title(
        &self,
        id: impl Into<SessionId>,
        title: impl Into<String>,
    ) -> Result<String, CallError> {
        self.0.set_title(id.into(), title.into()).await
    }
}

impl SharedConnection {
    pub(crate) async fn unarchive(&self, id: SessionId) -> Result<(), CallError> {
        let (params, sessions) = (UnarchiveSessionRequest::new(id.clone()), self.sessions.clone());
        let fold_reply = move |reply: &Result<(), CallError>| {
            if let (Ok(()), Some(live)) = (reply, sessions.get(&id)) {
                live.apply([EventBody::Archived(false)]);
            }
        };
        self.call::<SessionUnarchive>(&params, Some(self.options.quick), fold_reply).await
    }

    pub(crate) async fn set_title(
        &self,
        id: SessionId,
        title: String,
    ) -> Result<String, CallError> {
        let (params, sessions) =
            (SetSessionTitleRequest::new(id.clone(), title), self.sessions.clone());
        let fold_reply = move |reply: &Result<SetSessionTitleResponse, CallError>| {
            if let (Ok(reply), Some(live)) = (reply, sessions.get(&id)) {
                live.apply([EventBody::StoredTitle {
                    title: reply.title.clone(),
                    by_person: false,
                }]);
            }
        };
        let quick = Some(self.options.quick);
        Ok(self.call::<SessionSetTitle>(&params, quick, fold_reply).await?.title)
    }
}
