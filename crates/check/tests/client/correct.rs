//! A client in memory that keeps every probed rule. It is a state machine that receives lines and
//! returns actions.
//!
//! It has no clock: its driver passes the elapsed time, and asks for the time of the next wake-up.

use crate::screen::Screen;
use crate::service::Held;
use crate::terminal::Terminals;
use crate::work::Work;
use attache_check::ClientTask;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::time::Duration;

/// An action of a client that is visible from outside.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Said {
    /// A message to the agent.
    Line(Value),
    /// A raw line to the agent.
    Raw(String),
    /// Text on the client's screen.
    Shown(String),
    /// The client starts the agent's program for a login, with these additional arguments and
    /// variables. It restarts the agent after a successful login.
    LoggingIn(Value),
    /// The client ends with this exit code.
    Left(i32),
}

/// The features of a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// All features.
    Full,
    /// Forms and the mandatory features.
    Bare,
}

/// The version of the protocol that a client speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Version {
    One,
    Two,
}

impl Version {
    pub(crate) fn number(self) -> u16 {
        match self {
            Self::One => 1,
            Self::Two => 2,
        }
    }
}

/// An error: its code and its data.
pub(crate) type Refusal = (i64, Value);

/// The response to a call of the agent: a reply, or none yet.
pub(crate) type Served = Result<Option<Value>, Refusal>;

pub(crate) struct Correct {
    pub(crate) kind: Kind,
    pub(crate) version: Version,
    pub(crate) task: ClientTask,
    /// How long the client has run.
    pub(crate) now: Duration,
    pub(crate) screen: Screen,
    pub(crate) terminals: Terminals,
    /// The result of `initialize`.
    pub(crate) agent: Value,
    pub(crate) session: Option<Session>,
    /// Calls of the agent that wait for a person or for the end of the turn.
    pub(crate) held: Vec<Held>,
    /// Whether the running turn was cancelled.
    pub(crate) is_cancelled: bool,
    /// The methods of the client's calls without a reply.
    pub(crate) asked: BTreeMap<i64, &'static str>,
    /// Updates of sessions that are not open, or not open yet.
    early: HashMap<String, Vec<Value>>,
    last_id: i64,
    /// In version 2, the work of the session.
    pub(crate) work: Work,
    pub(crate) has_prompted_twice: bool,
    pub(crate) has_set_twice: bool,
    /// Whether the agent has reported the status of the task's session.
    pub(crate) knows_status: bool,
    pub(crate) said: Vec<Said>,
}

/// The open session.
#[derive(Debug, Default, Clone)]
pub(crate) struct Session {
    pub(crate) id: String,
    /// The folders that the agent may use.
    pub(crate) roots: Vec<PathBuf>,
    pub(crate) options: Vec<Value>,
}

impl Correct {
    pub(crate) fn new(kind: Kind, version: Version, task: ClientTask) -> Self {
        Self {
            kind,
            version,
            task,
            now: Duration::ZERO,
            screen: Screen::default(),
            terminals: Terminals::default(),
            agent: Value::Null,
            session: None,
            held: Vec::new(),
            is_cancelled: false,
            asked: BTreeMap::new(),
            early: HashMap::new(),
            last_id: -1,
            work: Work::default(),
            has_prompted_twice: false,
            has_set_twice: false,
            knows_status: false,
            said: Vec::new(),
        }
    }

    /// Whether the client has this task.
    pub(crate) fn is_on(&self, task: &str) -> bool {
        self.task.name() == task
    }

    /// Returns the task's value for a placeholder.
    pub(crate) fn task_value(&self, placeholder: &str) -> &str {
        self.task.value(placeholder).unwrap_or_default()
    }

    /// Starts the client.
    pub(crate) fn start(&mut self) -> Vec<Said> {
        self.call("initialize", crate::handshake::params(self.kind, self.version));
        std::mem::take(&mut self.said)
    }

    /// Reads a line of the agent, without its end.
    pub(crate) fn line(&mut self, now: Duration, line: &str) -> Vec<Said> {
        self.tick(now);
        if !line.trim().is_empty() {
            match serde_json::from_str::<Value>(line) {
                Ok(message) => self.message(&message),
                Err(_) => self.refuse(&Value::Null, (-32700, Value::Null)),
            }
        }
        std::mem::take(&mut self.said)
    }

    /// Handles the end of the connection.
    pub(crate) fn end(&mut self) -> Vec<Said> {
        self.leave(1, "the agent ended");
        std::mem::take(&mut self.said)
    }

    /// Handles a cancel by the person.
    pub(crate) fn cancel(&mut self, now: Duration) -> Vec<Said> {
        self.tick(now);
        self.cancel_turn();
        std::mem::take(&mut self.said)
    }

    /// Advances the time.
    pub(crate) fn wake(&mut self, now: Duration) -> Vec<Said> {
        self.tick(now);
        std::mem::take(&mut self.said)
    }

    fn tick(&mut self, now: Duration) {
        self.now = now;
        for (id, result) in self.terminals.tick(now) {
            self.answer(&id, result);
        }
    }

    /// Returns the time of the next wake-up.
    pub(crate) fn wakes(&self) -> Option<Duration> {
        self.terminals.next()
    }

    fn message(&mut self, message: &Value) {
        let (id, method) = (&message["id"], message["method"].as_str());
        let is_valid_id = id.is_null() || id.is_string() || id.is_i64();
        let has_id = message.get("id").is_some();
        match method.filter(|_| message["jsonrpc"] == "2.0" && is_valid_id) {
            Some(method) if has_id => match self.serve(method, id, &message["params"]) {
                Ok(Some(result)) => self.answer(id, result),
                Ok(None) => {}
                Err(refusal) => self.refuse(id, refusal),
            },
            Some(method) => self.hear(method, &message["params"]),
            None if has_id && method.is_none() && message.is_object() => self.reply(message),
            None => self.refuse(&Value::Null, (-32600, Value::Null)),
        }
    }

    fn serve(&mut self, method: &str, id: &Value, params: &Value) -> Served {
        let offers = |capability| self.offers(capability);
        match method {
            "session/request_permission" => self.permission(id, params),
            "fs/read_text_file" if offers("/fs/readTextFile") => self.read(params).map(Some),
            "fs/write_text_file" if offers("/fs/writeTextFile") => self.write(params).map(Some),
            "elicitation/create" => self.elicit(id, params),
            "mcp/message" if self.is_on("mcp") => self.mcp(params).map(Some),
            _ if method.starts_with("terminal/") && offers("/terminal") => {
                self.terminal(method, id, params)
            }
            _ => Err((-32601, Value::Null)),
        }
    }

    /// Whether the client offers this capability.
    pub(crate) fn offers(&self, capability: &str) -> bool {
        let params = crate::handshake::params(self.kind, self.version);
        let key = match self.version {
            Version::One => "clientCapabilities",
            Version::Two => "capabilities",
        };
        let offered = params[key].pointer(capability);
        offered.is_some_and(|offered| offered.is_object() || *offered == json!(true))
    }

    /// Handles a notification of the agent.
    fn hear(&mut self, method: &str, params: &Value) {
        match method {
            "session/update" => {
                let Some(id) = params["sessionId"].as_str() else { return };
                match &mut self.session {
                    Some(session) if session.id == id => self.update(&params["update"]),
                    Some(_) if self.screen.is_child(id) => self.update(&params["update"]),
                    Some(_) => {}
                    None => {
                        self.early.entry(id.to_owned()).or_default().push(params["update"].clone())
                    }
                }
            }
            "$/cancel_request" => self.withdraw(&params["requestId"]),
            _ => {}
        }
    }

    /// Applies an update of the session.
    fn update(&mut self, update: &Value) {
        if update["sessionUpdate"] == "config_option_update"
            && let (Some(session), Some(options)) =
                (&mut self.session, update["configOptions"].as_array())
        {
            session.options = crate::task::readable(options);
        }
        let shown = self.screen.update(update, self.kind == Kind::Full);
        self.said.extend(shown.into_iter().map(Said::Shown));
        if self.version == Version::Two {
            self.report(update);
        }
    }

    /// Opens a session and applies its earlier updates.
    pub(crate) fn opened(&mut self, session: Session) {
        let early = self.early.remove(&session.id).unwrap_or_default();
        self.session = Some(session);
        early.iter().for_each(|update| self.update(update));
    }

    /// Calls a method of the agent.
    pub(crate) fn call(&mut self, method: &'static str, params: Value) {
        self.last_id += 1;
        self.asked.insert(self.last_id, method);
        let mut call = json!({"jsonrpc": "2.0", "id": self.last_id, "method": method});
        if !params.is_null() {
            call["params"] = params;
        }
        self.said.push(Said::Line(call));
    }

    pub(crate) fn notify(&mut self, method: &str, params: &Value) {
        self.said.push(Said::Line(json!({"jsonrpc": "2.0", "method": method, "params": params})));
    }

    pub(crate) fn answer(&mut self, id: &Value, result: Value) {
        self.said.push(Said::Line(json!({"jsonrpc": "2.0", "id": id, "result": result})));
    }

    pub(crate) fn refuse(&mut self, id: &Value, (code, data): Refusal) {
        let mut error = json!({"code": code, "message": "no"});
        if !data.is_null() {
            error["data"] = data;
        }
        self.said.push(Said::Line(json!({"jsonrpc": "2.0", "id": id, "error": error})));
    }

    pub(crate) fn show(&mut self, text: &str) {
        self.said.push(Said::Shown(format!("{text}\n")));
    }

    /// Ends with this exit code. Prints the reason unless the task is done.
    pub(crate) fn leave(&mut self, code: i32, why: &str) {
        if !why.is_empty() {
            self.show(why);
        }
        self.said.push(Said::Left(code));
    }

    /// Returns the open session, if the params name it.
    pub(crate) fn session_of(&self, params: &Value) -> Result<&Session, Refusal> {
        let id = params["sessionId"].as_str().ok_or_else(invalid)?;
        let unknown = (-32002, json!({"sessionId": id}));
        self.session.as_ref().filter(|session| session.id == id).ok_or(unknown)
    }
}

pub(crate) fn invalid() -> Refusal {
    (-32602, Value::Null)
}
