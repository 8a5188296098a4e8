//! Calls that must be refused: unadvertised methods and content, malformed params, and relative
//! paths.

use super::capability;
use super::finding::Report;
use super::known::Known;
use super::path::is_absolute;
use super::seen::{Asked, Body, Seen, entries, has, is, quoted, text};
use super::shape;
use attache_protocol::method::{
    ElicitationCreate, FsReadTextFile, FsWriteTextFile, Initialize, Method, SessionPrompt,
    SessionRequestPermission, SessionSetConfigOption, Side, TerminalCreate,
};
use serde_json::Value;
use std::collections::HashMap;

/// The required refusals, by the line of the call.
#[derive(Debug, Default)]
pub(super) struct Judge {
    owed: HashMap<usize, Vec<Owed>>,
}

#[derive(Debug)]
struct Owed {
    rule: &'static str,
    /// The required error code, if any.
    code: Option<i64>,
    why: String,
}

/// Methods and the paths of their params, each with the rule that requires an agent to refuse
/// malformed values there.
static UNDECODABLE: [(&str, &str, &str); 10] = [
    (Initialize::ROW.name, "", "INIT-09"),
    (SessionPrompt::ROW.name, "params.prompt", "PROMPT-05"),
    (SessionSetConfigOption::ROW.name, "params.value", "CONF-11"),
    (FsReadTextFile::ROW.name, "", "FS-05"),
    (TerminalCreate::ROW.name, "", "TERM-13"),
    (SessionRequestPermission::ROW.name, "params.options", "PERM-09"),
    (ElicitationCreate::ROW.name, "", "ELIC-25"),
    ("", "params.mcpServers[", "SESS-10"),
    ("", "params.additionalDirectories", "DIR-03"),
    ("", "", "RPC-23"),
];

impl Judge {
    pub(super) fn judge(&mut self, seen: &Seen<'_>, known: &Known, report: &mut Report) {
        match &seen.body {
            Body::Asked(asked) if asked.is_call && asked.row.is_some() => {
                let mut owed: Vec<Owed> = undecodable(seen.from, asked).into_iter().collect();
                owed.extend(relative(asked));
                if known.agent.is_some() {
                    owed.extend(unadvertised(seen.from, asked, known));
                }
                if !owed.is_empty() {
                    self.owed.insert(report.line(), owed);
                }
            }
            Body::Asked(_) => {}
            Body::Replied { to, outcome, .. } => {
                for Owed { rule, code, why } in self.owed.remove(&to.line).unwrap_or_default() {
                    let is_refused = outcome
                        .as_ref()
                        .is_err_and(|error| code.is_none_or(|code| error["code"] == code));
                    report.agrees(rule, (!is_refused).then_some(to.line), || {
                        let answer = if outcome.is_ok() {
                            "it succeeds".to_owned()
                        } else {
                            format!("the error is not {}", code.unwrap_or_default())
                        };
                        format!("{why}, but {answer}")
                    });
                }
            }
        }
    }
}

/// Returns the refusals of methods and fields that need a capability which was not advertised.
fn unadvertised(from: Side, asked: &Asked<'_>, known: &Known) -> Vec<Owed> {
    let mut owed = Vec::new();
    if let Some(path) = asked.row.and_then(|row| capability::closed(row, from, known)) {
        owed.push(Owed {
            rule: "INIT-17",
            code: Some(-32601),
            why: format!("{path} is not advertised"),
        });
    } else if is::<SessionPrompt>(asked.row)
        && let Some(kind) = capability::refused_content(&asked.params, known)
    {
        owed.push(Owed {
            rule: "PROMPT-04",
            code: None,
            why: format!("{kind} is content that is not advertised"),
        });
    } else if is::<ElicitationCreate>(asked.row)
        && let Some(mode) = capability::refused_mode(&asked.params, known)
    {
        owed.push(Owed {
            rule: "ELIC-02",
            code: None,
            why: format!("the mode {mode} is not advertised"),
        });
    }
    owed
}

/// Returns the refusal of params that cannot be decoded.
fn undecodable(from: Side, asked: &Asked<'_>) -> Option<Owed> {
    let error = shape::undecodable(from, asked)?;
    let place = format!("{}.", error.path);
    let is_about = |(method, path, _): &&(&str, &str, &str)| {
        (method.is_empty() || *method == asked.method) && place.starts_with(path)
    };
    let (_, _, rule) = UNDECODABLE.iter().find(is_about)?;
    let has_scope = has(&asked.params, "sessionId") || has(&asked.params, "requestId");
    let is_whole = has(&asked.params, "mode") && has_scope;
    let rule = if is::<ElicitationCreate>(asked.row) && !is_whole { "ELIC-05" } else { rule };
    Some(Owed { rule, code: None, why: format!("the params cannot be decoded: {error}") })
}

/// Returns the refusal of a path that is not absolute.
fn relative(asked: &Asked<'_>) -> Option<Owed> {
    if (is::<FsReadTextFile>(asked.row) || is::<FsWriteTextFile>(asked.row))
        && let Some(path) = text(&asked.params, "path").filter(|path| !is_absolute(path))
    {
        return Some(Owed {
            rule: "FS-08",
            code: None,
            why: format!("{} is not an absolute path", quoted(path)),
        });
    }
    let directories =
        entries(&asked.params, "additionalDirectories").iter().filter_map(Value::as_str);
    let wrong = directories.filter(|path| !is_absolute(path)).map(quoted).next()?;
    Some(Owed {
        rule: "DIR-03",
        code: None,
        why: format!("the directory {wrong} is not an absolute path"),
    })
}
