//! Valid conversations: a session is opened, then any message of the protocol follows.

use super::case::{Case, Step};
use super::random_numbers::RandomNumbers;
use super::value::{CWD, SESSION, value};
use crate::agent::judge_client::everything;
use crate::json::json;
use crate::model::acts::{self, Acts};
use crate::peer::script::Answer;
use attache_protocol::method::{
    Authenticate, Initialize, Kind, Logout, METHODS, Method, ProvidersDisable, ProvidersSet,
    Receiver, Row, SessionDelete, SessionNew, SessionPrompt, SessionUpdateNotification, Side,
    Stability,
};
use serde_json::Value;

/// The largest number of messages after a session is open.
const SAID: usize = 12;

/// Methods that change more than the session: a person's logins, providers and stored sessions.
const NEVER: [&str; 5] = [
    Authenticate::ROW.name,
    Logout::ROW.name,
    ProvidersSet::ROW.name,
    ProvidersDisable::ROW.name,
    SessionDelete::ROW.name,
];

/// Returns a valid conversation with the side under test.
pub(super) fn conversation(judged: Side, chance: &mut RandomNumbers) -> Case {
    let mut steps = Vec::new();
    if judged == Side::Agent {
        steps.push(call(Initialize::ROW, 0, everything()));
        steps.push(call(SessionNew::ROW, 1, json!({"cwd": CWD, "mcpServers": []})));
    }
    let first =
        if judged == Side::Agent { SessionPrompt::ROW } else { SessionUpdateNotification::ROW };
    let rows: Vec<&Row> = received_by(judged).collect();
    for id in (2..).take(1 + chance.below(SAID)) {
        let row = if chance.once_in(3) { Some(&first) } else { chance.one_of(&rows) };
        let Some(row) = row.copied() else { continue };
        let params = params(row, chance);
        steps.push(match row.kind {
            Kind::Call => call(row, id, params),
            Kind::Notification => {
                Step::message(&json!({"jsonrpc": "2.0", "method": row.name, "params": params}))
            }
        });
    }
    let answers = received_by(judged.other())
        .filter(|row| !(judged == Side::Client && is_of_the_handshake(row)))
        .filter_map(|row| {
            Some((row.name.to_owned(), Answer::Result(value(&row.result?(), "", chance))))
        });
    Case { steps, answers: answers.collect(), closes: false }
}

/// Whether a client sends this request before its first prompt, or the request is the prompt. The
/// judge answers these requests correctly.
fn is_of_the_handshake(row: &Row) -> bool {
    [Initialize::ROW.name, SessionNew::ROW.name, SessionPrompt::ROW.name].contains(&row.name)
}

/// Returns the methods that this side receives, except for harmful ones.
fn received_by(side: Side) -> impl Iterator<Item = &'static Row> {
    let receiver = if side == Side::Agent { Receiver::Agent } else { Receiver::Client };
    let rows = METHODS
        .iter()
        .copied()
        .filter(move |row| row.receiver == receiver || row.receiver == Receiver::Both);
    rows.filter(|row| row.stability != Stability::Retired && !NEVER.contains(&row.name))
}

fn params(row: &Row, chance: &mut RandomNumbers) -> Value {
    if row.name == SessionPrompt::ROW.name && !chance.once_in(4) {
        return json!({"sessionId": SESSION, "prompt": [{"type": "text", "text": act(chance).prompt_text()}]});
    }
    value(&(row.params)(), "", chance)
}

/// Returns the acts of a turn, for agents whose model follows the acts in a prompt.
fn act(chance: &mut RandomNumbers) -> Acts {
    let path = format!("{CWD}/attache.txt");
    let reported = match chance.below(6) {
        0 => acts::call(acts::read(&path)),
        1 => acts::call(acts::write(&path, "attache\n")),
        2 => acts::calls([acts::run("true"), acts::read(&path)]),
        3 => acts::think("hm").say("one\ntwo"),
        4 => acts::call(acts::plan(
            json!([{"content": "a", "status": "pending", "priority": "low"}]),
        )),
        _ => acts::say("hello").repeat(50),
    };
    reported.then(acts::say("done"))
}

fn call(row: &Row, id: i64, params: Value) -> Step {
    Step::message(&json!({"jsonrpc": "2.0", "id": id, "method": row.name, "params": params}))
}
