//! Which stream of a connection a message belongs to.

use attache_connection::transport::streamable::{CallSessions, Envelope};

/// The open calls of a connection, by their ids, with their sessions.
#[derive(Debug, Default)]
pub(super) struct Routing {
    of_client: CallSessions,
    of_hub: CallSessions,
}

impl Routing {
    /// Takes note of a message of the client. `session` is that of the message or its header.
    pub(super) fn received(&mut self, message: &Envelope<'_>, session: Option<&str>) {
        let Some(id) = message.id() else { return };
        if message.is_reply() {
            self.of_hub.take(&id);
        } else if let Some(session) = session {
            self.of_client.insert(id, session);
        }
    }

    /// Returns the session to whose stream a message of the hub belongs. `None` is the stream of
    /// the connection.
    ///
    /// A reply follows its call, so that it comes after the updates of the same session. A
    /// notification that cancels a call takes the stream of that call, so that it does not overtake
    /// it.
    pub(super) fn stream_of(&mut self, message: &Envelope<'_>) -> Option<String> {
        if message.is_reply() {
            return self.of_client.take(&message.id()?);
        }
        if let Some(cancelled) = message.cancelled() {
            return self.of_hub.get(&cancelled).map(str::to_owned);
        }
        let session = message.session()?;
        if let Some(id) = message.id() {
            self.of_hub.insert(id, &session);
        }
        Some(session)
    }
}

#[cfg(test)]
mod tests {
    use super::Routing;
    use attache_connection::transport::streamable::Envelope;

    fn of(message: &str) -> Envelope<'_> {
        Envelope::of(message.as_bytes()).unwrap()
    }

    #[test]
    fn replies_and_cancellations_take_the_stream_of_their_call() {
        let mut routing = Routing::default();
        let call = of(r#"{"id":1,"method":"session/prompt","params":{"sessionId":"s"}}"#);
        routing.received(&call, call.session().as_deref());
        let update = of(r#"{"method":"session/update","params":{"sessionId":"s"}}"#);
        assert_eq!(routing.stream_of(&update).as_deref(), Some("s"));
        let question =
            of(r#"{"id":1,"method":"session/request_permission","params":{"sessionId":"t"}}"#);
        assert_eq!(routing.stream_of(&question).as_deref(), Some("t"));
        let cancel = of(r#"{"method":"$/cancel_request","params":{"requestId":1}}"#);
        assert_eq!(routing.stream_of(&cancel).as_deref(), Some("t"));
        assert_eq!(routing.stream_of(&of(r#"{"id":1,"result":{}}"#)).as_deref(), Some("s"));
        assert_eq!(routing.stream_of(&of(r#"{"id":1,"result":{}}"#)), None, "answered before");
        routing.received(&of(r#"{"id":1,"result":{}}"#), None);
        assert_eq!(routing.stream_of(&cancel), None, "the question was answered");
    }
}
