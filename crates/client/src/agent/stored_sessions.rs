//! What can be done with a stored session, whether it is open here or not.

use crate::agent::agent_connection::AgentConnection;
use crate::agent::shared_connection::SharedConnection;
use attache_connection::CallError;
use attache_protocol::method::{
    SessionArchive, SessionDelete, SessionSetTitle, SessionStatusQuery, SessionUnarchive,
};
use attache_protocol::v1::{
    ArchiveSessionRequest, DeleteSessionRequest, SessionId, SessionStatus, SessionStatusRequest,
    SetSessionTitleRequest, UnarchiveSessionRequest,
};
use attache_session::EventBody;

/// All of these fail without sending anything if the agent does not advertise the method: the error
/// names the capability. Otherwise they fail if the agent refuses, does not answer in time
/// (`Options::quick`), or is gone.
impl AgentConnection {
    /// Deletes a stored session, if the agent offers that (DEL-01). One that is gone already counts
    /// as deleted (DEL-03). What becomes of a session that is open is up to the agent (DEL-04):
    /// close it first.
    pub async fn delete(&self, id: impl Into<SessionId>) -> Result<(), CallError> {
        let params = DeleteSessionRequest::new(id);
        self.0.peer.call::<SessionDelete>(&params).within(self.0.options.quick).await.map(drop)
    }

    /// Puts a session away, if the agent offers that: it is no longer listed unless asked for, and
    /// keeps its id and history. One that is open is closed by that (ARCH-02), as by
    /// [`crate::SessionHandle::close`]. Doing it twice is no error (ARCH-03).
    pub async fn archive(&self, id: impl Into<SessionId>) -> Result<(), CallError> {
        let id = id.into();
        let (params, sessions) = (ArchiveSessionRequest::new(id.clone()), self.0.sessions.clone());
        let reply = self.0.peer.call_with_callback::<SessionArchive>(&params, move |reply| {
            if reply.is_ok() {
                sessions.get(&id).iter().for_each(|live| live.apply([EventBody::Archived(true)]));
                sessions.remove(&id);
            }
        });
        reply.within(self.0.options.quick).await.map(drop)
    }

    /// Takes a session out of the archive, if the agent offers archives. It is listed again and not
    /// opened (ARCH-06); doing it twice is no error (ARCH-03).
    pub async fn unarchive(&self, id: impl Into<SessionId>) -> Result<(), CallError> {
        self.0.unarchive(id.into()).await
    }

    /// Where a session is, if the agent offers to say so. A state that this version does not know
    /// is [`SessionStatus::Saved`] (STAT-03).
    ///
    /// It says nothing about this connection: also a session that is [`SessionStatus::Open`] is
    /// loaded or resumed before it takes prompts here, which is why only [`AgentConnection::load`]
    /// and the like give a handle.
    pub async fn status(&self, id: impl Into<SessionId>) -> Result<SessionStatus, CallError> {
        let params = SessionStatusRequest::new(id);
        let reply =
            self.0.peer.call::<SessionStatusQuery>(&params).within(self.0.options.quick).await?;
        Ok(match reply.status {
            SessionStatus::Open => SessionStatus::Open,
            _ => SessionStatus::Saved,
        })
    }

    /// Sets the title of any session that is listed, if the agent offers that. Gives the title as
    /// the agent stored it, which is the one to show (TITLE-01, TITLE-03); a session that is open
    /// here shows it from then on.
    ///
    /// # Errors
    /// Also if the agent refuses the title, such as an empty one (TITLE-02).
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
        let reply = self.peer.call_with_callback::<SessionUnarchive>(&params, move |reply| {
            if let (Ok(_), Some(live)) = (reply, sessions.get(&id)) {
                live.apply([EventBody::Archived(false)]);
            }
        });
        reply.within(self.options.quick).await.map(drop)
    }

    pub(crate) async fn set_title(
        &self,
        id: SessionId,
        title: String,
    ) -> Result<String, CallError> {
        let (params, sessions) =
            (SetSessionTitleRequest::new(id.clone(), title), self.sessions.clone());
        let reply = self.peer.call_with_callback::<SessionSetTitle>(&params, move |reply| {
            if let (Ok(reply), Some(live)) = (reply, sessions.get(&id)) {
                live.apply([EventBody::StoredTitle {
                    title: reply.title.clone(),
                    by_person: false,
                }]);
            }
        });
        Ok(reply.within(self.options.quick).await?.title)
    }
}
