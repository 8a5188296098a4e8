//! The client's terminals, in which a simulated shell runs commands.

use crate::correct::{Correct, Refusal, Served, invalid};
use crate::shell::{Done, Effect, run};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

#[derive(Debug, Default)]
pub(crate) struct Terminals {
    open: BTreeMap<String, Terminal>,
    made: usize,
}

#[derive(Debug)]
struct Terminal {
    began: Duration,
    /// The actions of the command with their times since its start.
    effects: Vec<(Duration, Effect)>,
    /// The exit of the command if it is not killed.
    ends: (Duration, Done),
    /// The exit of the command, if it has ended.
    ended: Option<Done>,
    output: Vec<u8>,
    limit: Option<usize>,
    is_truncated: bool,
    waiters: Vec<Value>,
}

impl Terminals {
    /// Runs the commands until this time, and returns the answers to waiting calls.
    pub(crate) fn tick(&mut self, now: Duration) -> Vec<(Value, Value)> {
        self.open.values_mut().flat_map(|terminal| terminal.tick(now)).collect()
    }

    /// Returns the time of the next action of a command.
    pub(crate) fn next(&self) -> Option<Duration> {
        self.open.values().filter_map(Terminal::next).min()
    }

    /// Removes a waiting call because another answer is sent. Returns `false` if no call has this
    /// id.
    pub(crate) fn withdraw(&mut self, id: &Value) -> bool {
        self.open.values_mut().any(|terminal| {
            let waiting = terminal.waiters.len();
            terminal.waiters.retain(|waiter| waiter != id);
            terminal.waiters.len() < waiting
        })
    }
}

impl Terminal {
    fn next(&self) -> Option<Duration> {
        if self.ended.is_some() {
            return None;
        }
        let next = self.effects.first().map_or(self.ends.0, |(at, _)| *at);
        Some(self.began + next)
    }

    fn tick(&mut self, now: Duration) -> Vec<(Value, Value)> {
        let ran = now.saturating_sub(self.began);
        while self.ended.is_none() && self.effects.first().is_some_and(|(at, _)| *at <= ran) {
            match self.effects.remove(0).1 {
                Effect::Print(bytes) => self.print(&bytes),
                Effect::Write(path, bytes) => std::fs::write(path, bytes).unwrap(),
            }
        }
        if self.ended.is_none() && self.ends.0 <= ran {
            return self.end(self.ends.1.clone());
        }
        Vec::new()
    }

    /// Appends output. If the limit is exceeded, keeps only the newest part, from the start of a
    /// character.
    fn print(&mut self, bytes: &[u8]) {
        self.output.extend_from_slice(bytes);
        let Some(limit) = self.limit.filter(|limit| self.output.len() > *limit) else { return };
        self.is_truncated = true;
        let mut start = self.output.len() - limit;
        while self.output.get(start).is_some_and(|byte| byte & 0xC0 == 0x80) {
            start += 1;
        }
        self.output.drain(..start);
    }

    fn end(&mut self, how: Done) -> Vec<(Value, Value)> {
        let exit = how.exit();
        self.ended.get_or_insert(how);
        self.waiters.drain(..).map(|waiter| (waiter, exit.clone())).collect()
    }
}

impl Correct {
    pub(crate) fn terminal(&mut self, method: &str, id: &Value, params: &Value) -> Served {
        self.session_of(params)?;
        if method == "terminal/create" {
            return self.create(params).map(Some);
        }
        let name = params["terminalId"].as_str().ok_or_else(invalid)?;
        let terminal = self.terminals.open.get_mut(name).ok_or_else(invalid)?;
        let mut answered = Vec::new();
        let reply = match method {
            "terminal/output" => {
                let output = String::from_utf8_lossy(&terminal.output);
                let mut shown = json!({"output": output, "truncated": terminal.is_truncated});
                if let Some(ended) = &terminal.ended {
                    shown["exitStatus"] = ended.exit();
                }
                Some(shown)
            }
            "terminal/wait_for_exit" => match &terminal.ended {
                Some(ended) => Some(ended.exit()),
                None => {
                    terminal.waiters.push(id.clone());
                    None
                }
            },
            "terminal/kill" => {
                answered = terminal.end(Done::Signal("SIGTERM".to_owned()));
                Some(json!({}))
            }
            "terminal/release" => {
                answered = terminal.end(Done::Signal("SIGTERM".to_owned()));
                self.terminals.open.remove(name);
                Some(json!({}))
            }
            _ => return Err((-32601, Value::Null)),
        };
        for (waiter, exit) in answered {
            self.answer(&waiter, exit);
        }
        Ok(reply)
    }

    fn create(&mut self, params: &Value) -> Result<Value, Refusal> {
        let command = params["command"].as_str().ok_or_else(invalid)?;
        let mut words = vec![command.to_owned()];
        for arg in list(params, "args")? {
            words.push(arg.as_str().ok_or_else(invalid)?.to_owned());
        }
        let mut env = BTreeMap::new();
        for entry in list(params, "env")? {
            let member = |key: &str| entry[key].as_str().map(str::to_owned).ok_or_else(invalid);
            env.insert(member("name")?, member("value")?);
        }
        let roots = &self.session_of(params)?.roots;
        let cwd = match &params["cwd"] {
            Value::Null => roots[0].clone(),
            cwd => cwd
                .as_str()
                .map(PathBuf::from)
                .filter(|cwd| cwd.is_absolute())
                .ok_or_else(invalid)?,
        };
        let limit = match &params["outputByteLimit"] {
            Value::Null => None,
            limit => Some(limit.as_u64().ok_or_else(invalid)? as usize),
        };
        let (effects, ends) =
            run(&words, &env, &cwd).ok_or((-32603, json!({"reason": "no such command"})))?;
        self.terminals.made += 1;
        let name = format!("terminal-{}", self.terminals.made);
        let mut terminal = Terminal {
            began: self.now,
            effects,
            ends,
            ended: None,
            output: Vec::new(),
            limit,
            is_truncated: false,
            waiters: Vec::new(),
        };
        terminal.tick(self.now);
        self.terminals.open.insert(name.clone(), terminal);
        Ok(json!({"terminalId": name}))
    }
}

fn list<'v>(params: &'v Value, key: &str) -> Result<&'v [Value], Refusal> {
    match params.get(key) {
        None | Some(Value::Null) => Ok(&[]),
        Some(list) => list.as_array().map(Vec::as_slice).ok_or_else(invalid),
    }
}
