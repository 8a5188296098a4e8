//! Asking the user for input.

use crate::turn::user_wait::UserWait;
use crate::turn::{form, form_text};
use crate::{Error, Result, ToolCallHandle, Turn};
use attache_connection::{CallError, Peer};
use attache_protocol::Map;
use attache_protocol::method::{ElicitationComplete, ElicitationCreate, Method as _, v2};
use attache_protocol::v1::{
    CompleteElicitationNotification, CreateElicitationRequest, CreateElicitationResponse,
    ElicitationAction, ElicitationContentValue, ElicitationFormMode, ElicitationId,
    ElicitationMode, ElicitationSchema, ElicitationSessionScope, ElicitationUrlMode,
    ProtocolVersion, ToolCallId,
};

/// The outcome of a form.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Elicited {
    /// The user filled in the form: the values of its fields, checked against the form except for
    /// `pattern`.
    // ELIC-14.
    Accepted(Map<ElicitationContentValue>),
    /// The user declined.
    Declined,
    /// The user closed the question without an answer.
    Cancelled,
    /// The client answered with an action that ACP does not define. Do not treat it as one of the
    /// others.
    // ELIC-23.
    Unknown(String),
    /// The client answered with an error, with JSON that could not be decoded, or with values that
    /// do not fit the form; the text says which.
    // ELIC-16.
    Unusable(String),
    /// The client cannot show forms, so the question was sent as a message. End the turn: the next
    /// prompt is the answer.
    // ELIC-03.
    AskedInText,
}

/// The outcome of a page.
#[derive(Debug)]
#[non_exhaustive]
pub enum ElicitedUrl {
    /// The user agreed to open the page. Only the agent can know what happens there.
    // ELIC-17.
    Consented(UrlElicitation),
    /// The user declined.
    Declined,
    /// The user closed the question without an answer.
    Cancelled,
    /// The client answered with an action that ACP does not define.
    // ELIC-23.
    Unknown(String),
    /// The client answered with an error or with JSON that could not be decoded; the text says
    /// which.
    // ELIC-16.
    Unusable(String),
}

/// A page that the user agreed to open. The user may finish with it after the turn has ended.
#[derive(Debug)]
pub struct UrlElicitation {
    id: ElicitationId,
    peer: Peer,
}

impl UrlElicitation {
    /// Returns its unique id: put it into the address of the page, so that the visit can be
    /// recognized.
    // ELIC-18.
    pub fn id(&self) -> &ElicitationId {
        &self.id
    }

    /// Tells the client that the user is done with the page.
    ///
    /// # Errors
    /// Returns [`Error::Disconnected`] if the connection is over.
    // ELIC-19.
    pub fn complete(self) -> Result<()> {
        Ok(self
            .peer
            .notify::<ElicitationComplete>(&CompleteElicitationNotification::new(self.id))?)
    }
}

impl Turn {
    /// Returns whether the client can show forms.
    // ELIC-01.
    pub fn client_shows_forms(&self) -> bool {
        self.client().elicitation.as_ref().is_some_and(|modes| modes.form.is_some())
    }

    /// Returns whether the client can open pages.
    // ELIC-01.
    pub fn client_opens_pages(&self) -> bool {
        self.client().elicitation.as_ref().is_some_and(|modes| modes.url.is_some())
    }

    /// Asks the user to fill in a form, and waits without a time limit. When the turn is cancelled
    /// the question is withdrawn. Do not ask for secrets in a form: see [`Turn::elicit_url`].
    ///
    /// # Errors
    /// Returns [`Error::Client`] if the client cannot show forms (see [`Turn::ask`]);
    /// [`Error::Invalid`] if ACP does not allow the form, because a field, choice or format has an
    /// unknown type or a required field does not exist; or [`Error::Cancelled`], [`Error::Over`] or
    /// [`Error::Disconnected`]. An answer of the client is never an error here.
    // CANCEL-22, ELIC-11, ELIC-07, X18.
    pub async fn elicit(
        &self,
        message: impl Into<String>,
        schema: ElicitationSchema,
    ) -> Result<Elicited> {
        self.elicit_form(None, message.into(), schema).await
    }

    /// Like [`Turn::elicit`], but the question is about a tool call.
    ///
    /// # Errors
    /// Returns the same errors as [`Turn::elicit`].
    pub async fn elicit_about(
        &self,
        call: &ToolCallHandle,
        message: impl Into<String>,
        schema: ElicitationSchema,
    ) -> Result<Elicited> {
        self.elicit_form(Some(call.id().clone()), message.into(), schema).await
    }

    /// Like [`Turn::elicit`]. If the client cannot show forms, the question is sent as a message
    /// instead, with its fields, choices and defaults, and the outcome is
    /// [`Elicited::AskedInText`]. The question of a subagent is sent in the session it works for.
    ///
    /// # Errors
    /// Returns the same errors as [`Turn::elicit`], except that a client that cannot show forms is
    /// not an error.
    // ELIC-03.
    pub async fn ask(
        &self,
        message: impl Into<String>,
        schema: ElicitationSchema,
    ) -> Result<Elicited> {
        let message = message.into();
        if self.client_shows_forms() {
            return self.elicit(message, schema).await;
        }
        form::check(&schema)?;
        // The next prompt arrives in the main session, so a subagent asks there too.
        self.root().say(&form_text::markdown(&message, &schema)).await?;
        Ok(Elicited::AskedInText)
    }

    /// Asks the user to open a page, for example to give a secret to a third party. If the client
    /// cannot open pages, no form is shown instead. `url` must not contain secrets.
    ///
    /// # Errors
    /// Returns [`Error::Client`] if the client cannot open pages; [`Error::Invalid`] if the address
    /// does not begin with `https://` or `http://`, or contains a user name or password; or
    /// [`Error::Cancelled`], [`Error::Over`] or [`Error::Disconnected`].
    // ELIC-11, ELIC-12.
    pub async fn elicit_url(
        &self,
        message: impl Into<String>,
        url: impl Into<String>,
    ) -> Result<ElicitedUrl> {
        let url = url.into();
        check_url(&url)?;
        let offered = self.client_opens_pages();
        let id = ElicitationId::from(self.open_session().state().new_id());
        let mode = ElicitationMode::Url(ElicitationUrlMode::new(id.clone(), url));
        let path = "clientCapabilities.elicitation.url";
        Ok(match self.create_elicitation(offered, path, mode, None, message.into()).await? {
            Ok(ElicitationAction::Accept(_)) => ElicitedUrl::Consented(UrlElicitation {
                id,
                peer: self.open_session().peer.clone(),
            }),
            Ok(ElicitationAction::Decline) => ElicitedUrl::Declined,
            Ok(ElicitationAction::Cancel) => ElicitedUrl::Cancelled,
            Ok(ElicitationAction::Unknown(unknown)) => ElicitedUrl::Unknown(unknown.tag.into()),
            Err(why) => ElicitedUrl::Unusable(why),
        })
    }

    async fn elicit_form(
        &self,
        call: Option<ToolCallId>,
        message: String,
        schema: ElicitationSchema,
    ) -> Result<Elicited> {
        form::check(&schema)?;
        let offered = self.client_shows_forms();
        let mode = ElicitationMode::Form(ElicitationFormMode::new(schema.clone()));
        let path = "clientCapabilities.elicitation.form";
        Ok(match self.create_elicitation(offered, path, mode, call, message).await? {
            Ok(ElicitationAction::Accept(accepted)) => {
                match form::values(&schema, accepted.content.unwrap_or_default()) {
                    Ok(values) => Elicited::Accepted(values),
                    Err(why) => Elicited::Unusable(why),
                }
            }
            Ok(ElicitationAction::Decline) => Elicited::Declined,
            Ok(ElicitationAction::Cancel) => Elicited::Cancelled,
            Ok(ElicitationAction::Unknown(unknown)) => Elicited::Unknown(unknown.tag.into()),
            Err(why) => Elicited::Unusable(why),
        })
    }

    /// Returns the action of the user. The inner error says why the client's answer is unusable.
    async fn create_elicitation(
        &self,
        offered: bool,
        capability: &'static str,
        mode: ElicitationMode,
        call: Option<ToolCallId>,
        message: String,
    ) -> Result<std::result::Result<ElicitationAction, String>> {
        if !offered {
            // The method is allowed if the client supports either mode (ELIC-01).
            let method = ElicitationCreate::ROW.name;
            return Err(CallError::NotOffered { method, capability }.into());
        }
        let mut scope = ElicitationSessionScope::new(self.session_id().clone());
        scope.tool_call_id = call;
        let request = CreateElicitationRequest::new(mode, scope, message);
        let waiting = UserWait::begin(self);
        let response = match self.open_session().peer.version() {
            ProtocolVersion::V2 => match self.call::<v2::ElicitationCreate>(&request).await {
                Ok(response) => {
                    response.try_into().map_err(|error| Error::Client(CallError::BadReply(error)))
                }
                Err(error) => Err(error),
            },
            _ => self.call::<ElicitationCreate>(&request).await,
        };
        drop(waiting);
        match response {
            Ok(CreateElicitationResponse { action, .. }) => {
                // The answer and the cancel may both have arrived before this task ran again.
                self.check()?;
                Ok(Ok(action))
            }
            Err(Error::Client(error)) => Ok(Err(error.to_string())),
            Err(error) => Err(error),
        }
    }
}

fn check_url(url: &str) -> Result<()> {
    let Some(rest) = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://")) else {
        return Err(Error::invalid("the address of a page must begin with https:// or http://"));
    };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    match authority {
        "" => Err(Error::invalid("the address of a page must have a host")),
        with if with.contains('@') => {
            Err(Error::invalid("the address of a page must not contain a user name or password"))
        }
        _ => Ok(()),
    }
}
