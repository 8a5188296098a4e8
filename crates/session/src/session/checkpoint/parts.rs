//! The parts of a checkpoint outside of the transcript.

use crate::event::json::object::{EventError, Object, write_option};
use crate::event::json::{name, read_body, write_body};
use crate::question::json::{read_question, write_question};
use crate::terminal::BASE64;
use crate::terminal::output::TerminalOutput;
use crate::{
    AgentTerminal, ConfigOptions, EventBody, Info, Permission, PermissionId, Session, Timestamp,
    Tokens, TurnOutcome, UsageState,
};
use attache_protocol::{ObjectWriter, Raw, Writer};
use base64::Engine as _;
use std::sync::Arc;

/// Writes an object for each item.
pub(super) fn list<T>(
    mut to: Writer<'_>,
    items: impl IntoIterator<Item = T>,
    write: impl Fn(T, &mut ObjectWriter<'_>),
) {
    to.raw("[");
    for (index, item) in items.into_iter().enumerate() {
        if index > 0 {
            to.raw(",");
        }
        to.object(|object| write(item, object));
    }
    to.raw("]");
}

/// Reads the objects of a list.
pub(super) fn read_list<T>(
    object: &Object<'_>,
    key: &'static str,
    read: impl Fn(&Object<'_>) -> Result<T, EventError>,
) -> Result<Vec<T>, EventError> {
    let items: Vec<Raw> = object.must(key)?;
    items.iter().map(|item| read(&Object::of(item.get(), key)?)).collect()
}

pub(super) fn write(session: &Session, object: &mut ObjectWriter<'_>) {
    let commands = session.all_commands();
    object.key("commands").object(|event| write_body(&commands, event.key(name(&commands))));
    object.key("config").object(|object| write_config(&session.config, object));
    object.key("info").object(|object| write_info(&session.info, object));
    object.key("usage").object(|object| write_usage(&session.usage, object));
    list(object.key("permissions"), &*session.permissions, |permission, object| {
        write_permission(permission, object);
    });
    list(object.key("terminals"), &*session.terminals, |terminal, object| {
        write_terminal(terminal, object);
    });
    if let Some(background) = &session.background {
        object.member("background", &background.to_vec());
    }
    if let Some(outcome) = &session.last_outcome {
        let ended = EventBody::TurnEnded { outcome: (**outcome).clone(), usage: None };
        write_body(&ended, object.key("lastTurn"));
    }
}

pub(super) fn read(session: &mut Session, object: &Object<'_>) -> Result<(), EventError> {
    let commands: Raw = object.must("commands")?;
    let commands = Object::of(commands.get(), "commands")?;
    let (name, value) = commands.members.0.last().ok_or(EventError::Missing("commands"))?;
    session.set_commands(&read_body(name, value)?);
    let within = |key: &'static str| object.must::<Raw>(key);
    session.config =
        Arc::new(read_config(session, &Object::of(within("config")?.get(), "config")?)?);
    session.info = Arc::new(read_info(&Object::of(within("info")?.get(), "info")?)?);
    session.usage = Arc::new(read_usage(&Object::of(within("usage")?.get(), "usage")?)?);
    let permissions = read_list(object, "permissions", read_permission)?;
    session.permissions = Arc::new(permissions.into_iter().map(Arc::new).collect());
    let terminals = read_list(object, "terminals", read_terminal)?;
    session.terminals = Arc::new(terminals.into_iter().map(Arc::new).collect());
    session.background = object.may::<Vec<_>>("background")?.map(Arc::from);
    session.last_outcome = match object.may::<Raw>("lastTurn")? {
        Some(ended) => Some(Arc::new(read_outcome(&ended)?)),
        None => None,
    };
    Ok(())
}

fn read_outcome(raw: &Raw) -> Result<TurnOutcome, EventError> {
    match read_body("turnEnded", raw)? {
        EventBody::TurnEnded { outcome, .. } => Ok(outcome),
        _ => Err(EventError::Missing("lastTurn")),
    }
}

fn write_config(config: &ConfigOptions, object: &mut ObjectWriter<'_>) {
    object.member("options", &config.stated);
    write_option(object, "modes", config.modes.as_ref());
    write_option(object, "models", config.models.as_ref());
}

fn read_config(session: &Session, object: &Object<'_>) -> Result<ConfigOptions, EventError> {
    let mut config = ConfigOptions::new(session.id.clone());
    config.stated = object.must("options")?;
    config.modes = object.may("modes")?;
    config.models = object.may("models")?;
    config.derive();
    Ok(config)
}

fn write_info(info: &Info, object: &mut ObjectWriter<'_>) {
    let Info { title, titled_by_person, updated_at, meta } = info;
    write_option(object, "title", title.as_ref());
    object.member("titledByPerson", titled_by_person);
    write_option(object, "updatedAt", updated_at.as_ref());
    write_option(object, "_meta", meta.as_ref());
}

fn read_info(object: &Object<'_>) -> Result<Info, EventError> {
    Ok(Info {
        title: object.may("title")?,
        titled_by_person: object.must("titledByPerson")?,
        updated_at: object.may("updatedAt")?,
        meta: object.may("_meta")?,
    })
}

fn write_usage(usage: &UsageState, object: &mut ObjectWriter<'_>) {
    let UsageState { used, size, costs, counted_by, last_turn, total, inconsistent } = usage;
    let Tokens { total, input, output, thought, cached_read, cached_write, turns } = *total;
    write_option(object, "used", used.as_ref());
    write_option(object, "size", size.as_ref());
    object.member("costs", costs);
    if let Some(agent) = counted_by {
        object.key("countedBy").string(agent);
    }
    write_option(object, "lastTurn", last_turn.as_ref());
    object.member("tokens", &vec![total, input, output, thought, cached_read, cached_write, turns]);
    object.member("inconsistent", inconsistent);
}

fn read_usage(object: &Object<'_>) -> Result<UsageState, EventError> {
    let tokens = <[u64; 7]>::try_from(object.must::<Vec<u64>>("tokens")?);
    let [total, input, output, thought, cached_read, cached_write, turns] =
        tokens.map_err(|_| EventError::Missing("tokens of every kind"))?;
    Ok(UsageState {
        used: object.may("used")?,
        size: object.may("size")?,
        costs: object.must("costs")?,
        counted_by: object.may::<String>("countedBy")?.map(Arc::from),
        last_turn: object.may("lastTurn")?,
        total: Tokens { total, input, output, thought, cached_read, cached_write, turns },
        inconsistent: object.must("inconsistent")?,
    })
}

fn write_permission(permission: &Permission, object: &mut ObjectWriter<'_>) {
    let Permission { id, question, asked_at, outcome } = permission;
    object.member("id", &id.0);
    object.member("askedAt", &asked_at.0);
    write_option(object, "outcome", outcome.as_ref());
    write_question(question, object);
}

fn read_permission(object: &Object<'_>) -> Result<Permission, EventError> {
    Ok(Permission {
        id: PermissionId(object.must("id")?),
        question: read_question(object)?,
        asked_at: Timestamp(object.must("askedAt")?),
        outcome: object.may("outcome")?,
    })
}

fn write_terminal(terminal: &AgentTerminal, object: &mut ObjectWriter<'_>) {
    let AgentTerminal {
        terminal_id,
        command,
        cwd,
        exit_status,
        size,
        capabilities,
        meta,
        output,
        dropped,
        replaced,
    } = terminal;
    object.member("terminalId", terminal_id);
    write_option(object, "command", command.as_ref());
    write_option(object, "cwd", cwd.as_ref());
    write_option(object, "exitStatus", exit_status.as_ref());
    write_option(object, "size", size.as_ref());
    write_option(object, "capabilities", capabilities.as_ref());
    write_option(object, "_meta", meta.as_ref());
    object.key("output").string(&BASE64.encode(output.to_vec()));
    object.member("dropped", &(*dropped as u64));
    // Most terminals never replace their output, and earlier versions write no number.
    if *replaced > 0 {
        object.member("replaced", replaced);
    }
}

fn read_terminal(object: &Object<'_>) -> Result<AgentTerminal, EventError> {
    let bytes = BASE64.decode(object.must::<String>("output")?);
    let mut output = TerminalOutput::default();
    output.append(&bytes.map_err(|_| EventError::Missing("output in base64"))?);
    Ok(AgentTerminal {
        command: object.may("command")?,
        cwd: object.may("cwd")?,
        exit_status: object.may("exitStatus")?,
        size: object.may("size")?,
        capabilities: object.may("capabilities")?,
        meta: object.may("_meta")?,
        output,
        dropped: object.must::<u64>("dropped")? as usize,
        // Checkpoints of earlier versions lack this.
        replaced: object.may("replaced")?.unwrap_or_default(),
        ..AgentTerminal::new(object.must("terminalId")?)
    })
}
