//! Asking a person for input (requirements §4.15, ELIC).

use crate::turn::{form, form_text};
use crate::{Error, Result, ToolCallHandle, Turn};
use attache_connection::{CallError, Peer};
use attache_protocol::Map;
use attache_protocol::method::{ElicitationComplete, ElicitationCreate, Method as _};
use attache_protocol::v1::{
    CompleteElicitationNotification, CreateElicitationRequest, CreateElicitationResponse,
    ElicitationAction, ElicitationContentValue, ElicitationFormMode, ElicitationId,
    ElicitationMode, ElicitationSchema, ElicitationSessionScope, ElicitationUrlMode, ToolCallId,
};

/// What came of a question with a form.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Elicited {
    /// The person filled the form in: the values of its fields, checked against it (ELIC-14). A
    /// `pattern` is not checked.
    Accepted(Map<ElicitationContentValue>),
    /// The person said no.
    Declined,
    /// The person went away without an answer.
    Cancelled,
    /// The client answered with an action that ACP does not have; it is none of the others
    /// (ELIC-23).
    Unknown(String),
    /// The client answered with an error, unreadably, or with values that do not fit the form, as
    /// the sentence says (ELIC-16).
    Unusable(String),
    /// The client shows no forms: the question was said as a message. End the turn; the next prompt
    /// is the answer (ELIC-03).
    AskedInText,
}

/// What came of a question with a page.
#[derive(Debug)]
#[non_exhaustive]
pub enum ElicitedUrl {
    /// The person agreed to open the page. Whether anything comes of it is known only to the agent
    /// (ELIC-17).
    Consented(UrlElicitation),
    /// The person said no.
    Declined,
    /// The person went away without an answer.
    Cancelled,
    /// The client answered with an action that ACP does not have (ELIC-23).
    Unknown(String),
    /// The client answered with an error or unreadably, as the sentence says (ELIC-16).
    Unusable(String),
}

/// What a person began at a page. It may end after its turn.
#[derive(Debug)]
pub struct UrlElicitation {
    id: ElicitationId,
    peer: Peer,
}

impl UrlElicitation {
    /// Its id, unique (ELIC-18): for the page's own address, so that it is known whose visit it
    /// was.
    pub fn id(&self) -> &ElicitationId {
        &self.id
    }

    /// Tells the client that the person is done there (ELIC-19).
    ///
    /// # Errors
    /// [`Error::Gone`].
    pub fn complete(self) -> Result<()> {
        Ok(self
            .peer
            .notify::<ElicitationComplete>(&CompleteElicitationNotification::new(self.id))?)
    }
}

impl Turn {
    /// Whether the client shows forms (ELIC-01).
    pub fn client_shows_forms(&self) -> bool {
        self.client().elicitation.as_ref().is_some_and(|modes| modes.form.is_some())
    }

    /// Whether the client opens pages (ELIC-01).
    pub fn client_opens_pages(&self) -> bool {
        self.client().elicitation.as_ref().is_some_and(|modes| modes.url.is_some())
    }

    /// Asks the person to fill a form in, and waits as long as it takes; when the turn is cancelled
    /// the question is withdrawn (CANCEL-22). Never for secrets: see [`Turn::elicit_url`]
    /// (ELIC-11).
    ///
    /// # Errors
    /// [`Error::Client`] if the client shows no forms, see [`Turn::ask`] for those;
    /// [`Error::Invalid`] for a form that ACP does not have: a field, choice or format of an
    /// unknown type, a required field that is none (ELIC-07, X18); [`Error::Cancelled`],
    /// [`Error::Over`], [`Error::Gone`]. What the client answers is never an error here.
    pub async fn elicit(
        &self,
        message: impl Into<String>,
        schema: ElicitationSchema,
    ) -> Result<Elicited> {
        self.elicit_form(None, message.into(), schema).await
    }

    /// The same about a tool call.
    ///
    /// # Errors
    /// As [`Turn::elicit`].
    pub async fn elicit_about(
        &self,
        call: &ToolCallHandle,
        message: impl Into<String>,
        schema: ElicitationSchema,
    ) -> Result<Elicited> {
        self.elicit_form(Some(call.id().clone()), message.into(), schema).await
    }

    /// As [`Turn::elicit`]; where the client shows no forms the question is said as a message
    /// instead, with its fields, choices and defaults, and the outcome is [`Elicited::AskedInText`]
    /// (ELIC-03). A subagent's question is said in the session it works for.
    ///
    /// # Errors
    /// As [`Turn::elicit`], but that a client which shows no forms is none.
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
        // The next prompt comes to the session itself, so a subagent asks there too.
        self.root().say(&form_text::markdown(&message, &schema)).await?;
        Ok(Elicited::AskedInText)
    }

    /// Asks the person to open a page, such as one where a secret is given to somebody else than
    /// this agent. There is no form instead of it (ELIC-11). `url` holds nothing that is worth
    /// stealing (ELIC-12).
    ///
    /// # Errors
    /// [`Error::Client`] if the client opens no pages; [`Error::Invalid`] for an address that is
    /// not `https://…` or `http://…` or that holds a user name or password; otherwise as
    /// [`Turn::elicit`].
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

    /// What the person did; the inner error says why the client's answer is none.
    async fn create_elicitation(
        &self,
        offered: bool,
        capability: &'static str,
        mode: ElicitationMode,
        call: Option<ToolCallId>,
        message: String,
    ) -> Result<std::result::Result<ElicitationAction, String>> {
        if !offered {
            // The gate of the method is open by either mode (ELIC-01).
            let method = ElicitationCreate::ROW.name;
            return Err(CallError::NotOffered { method, capability }.into());
        }
        let mut scope = ElicitationSessionScope::new(self.session_id().clone());
        scope.tool_call_id = call;
        let request = CreateElicitationRequest::new(mode, scope, message);
        match self.call::<ElicitationCreate>(&request).await {
            Ok(CreateElicitationResponse { action, .. }) => {
                // The answer and the cancel may both have arrived while this task waited for its
                // thread.
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
        return Err(Error::invalid(
            "a page to open has an address that begins with https:// or http://",
        ));
    };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    match authority {
        "" => Err(Error::invalid("the address of a page to open has no host")),
        with if with.contains('@') => Err(Error::invalid(
            "the address of a page to open must not hold a user name or password",
        )),
        _ => Ok(()),
    }
}
