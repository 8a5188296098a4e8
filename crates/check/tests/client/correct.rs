//! A client in memory that keeps every rule that is probed: what it hears goes in line by line,
//! what it says comes out.
//!
//! It knows no clock: who drives it says how much time has passed, and asks when it wants to be
//! woken.

use crate::screen::Screen;
use crate::service::Held;
use crate::terminal::Terminals;
use attache_check::ClientTask;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::time::Duration;

/// Something that a client does, as it is seen from outside.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Said {
    /// A message to the agent.
    Line(Value),
    /// A line to the agent as it is, whatever it is.
    Raw(String),
    /// Text on its own screen.
    Shown(String),
    /// It starts the agent's program for a login, with what it adds to the command, and the agent
    /// anew if that went well.
    LoggingIn(Value),
    /// It ends, with this exit code.
    Left(i32),
}

/// What a client can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Everything.
    Full,
    /// Forms, and what every client can.
    Bare,
}

/// An error: its code, and its data.
pub(crate) type Refusal = (i64, Value);

/// What comes of a call of the agent: a reply, or that it waits.
pub(crate) type Served = Result<Option<Value>, Refusal>;

pub(crate) struct Correct {
    pub(crate) kind: Kind,
    pub(crate) task: ClientTask,
    /// How long it has run.
    pub(crate) now: Duration,
    pub(crate) screen: Screen,
    pub(crate) terminals: Terminals,
    /// The result of `initialize`.
    pub(crate) agent: Value,
    pub(crate) session: Option<Session>,
    /// Calls of the agent that wait for a person, or for the end of the turn.
    pub(crate) held: Vec<Held>,
    /// Whether the turn that runs was cancelled.
    pub(crate) is_cancelled: bool,
    /// Calls of our own that are not answered: the method of each.
    pub(crate) asked: BTreeMap<i64, &'static str>,
    /// Updates of sessions that are not open (yet).
    early: HashMap<String, Vec<Value>>,
    last_id: i64,
    pub(crate) has_prompted_twice: bool,
    pub(crate) has_set_twice: bool,
    /// Whether the agent has told the status of the session of the task.
    pub(crate) knows_status: bool,
    pub(crate) said: Vec<Said>,
}

/// The session that is open.
#[derive(Debug, Default, Clone)]
pub(crate) struct Session {
    pub(crate) id: String,
    /// The folders that the agent may touch.
    pub(crate) roots: Vec<PathBuf>,
    pub(crate) options: Vec<Value>,
}

impl Correct {
    pub(crate) fn new(kind: Kind, task: ClientTask) -> Self {
        Self {
            kind,
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
            has_prompted_twice: false,
            has_set_twice: false,
            knows_status: false,
            said: Vec::new(),
        }
    }

    /// Whether it was told to do this.
    pub(crate) fn is_on(&self, task: &str) -> bool {
        self.task.name() == task
    }

    /// What the task gives for a placeholder.
    pub(crate) fn told(&self, placeholder: &str) -> &str {
        self.task.value(placeholder).unwrap_or_default()
    }

    /// It has been started.
    pub(crate) fn start(&mut self) -> Vec<Said> {
        self.call("initialize", crate::handshake::params(self.kind));
        std::mem::take(&mut self.said)
    }

    /// The agent says a line, without its end.
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

    /// The agent has closed the connection.
    pub(crate) fn end(&mut self) -> Vec<Said> {
        self.leave(1, "the agent is gone");
        std::mem::take(&mut self.said)
    }

    /// The person cancels.
    pub(crate) fn cancel(&mut self, now: Duration) -> Vec<Said> {
        self.tick(now);
        self.cancel_turn();
        std::mem::take(&mut self.said)
    }

    /// So much time has passed.
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

    /// When it wants to be woken next.
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

    /// Whether it says that it can do this.
    pub(crate) fn offers(&self, capability: &str) -> bool {
        let params = crate::handshake::params(self.kind);
        let told = params["clientCapabilities"].pointer(capability);
        told.is_some_and(|told| told.is_object() || *told == json!(true))
    }

    /// A notification of the agent.
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
    }

    /// A session is open: what was said of it before counts now.
    pub(crate) fn opened(&mut self, session: Session) {
        let early = self.early.remove(&session.id).unwrap_or_default();
        self.session = Some(session);
        early.iter().for_each(|update| self.update(update));
    }

    /// Calls the agent.
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

    /// Ends with this code, and says why unless all is done.
    pub(crate) fn leave(&mut self, code: i32, why: &str) {
        if !why.is_empty() {
            self.show(why);
        }
        self.said.push(Said::Left(code));
    }

    /// The open session, if the params name it.
    pub(crate) fn session_of(&self, params: &Value) -> Result<&Session, Refusal> {
        let id = params["sessionId"].as_str().ok_or_else(invalid)?;
        let unknown = (-32002, json!({"sessionId": id}));
        self.session.as_ref().filter(|session| session.id == id).ok_or(unknown)
    }
}

pub(crate) fn invalid() -> Refusal {
    (-32602, Value::Null)
}
