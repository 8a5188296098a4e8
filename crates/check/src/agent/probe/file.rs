//! Reading and writing files through the client (FS). `bare_client` judges calls that the client
//! does not offer.

use super::driven::{ALLOW, choose, count};
use super::driven::{file, new_path_in, play, play_in, put, tool_calls};
use crate::agent::run::Run;
use crate::json::json;
use crate::judging::conversation::quoted;
use crate::judging::probe::probes;
use crate::judging::verdict::{Probed, expect, fail, not_tested, skipped};
use crate::model::acts::{call, edit, read, say, write};
use crate::peer::line::Line;
use crate::peer::script::Answer;
use attache_protocol::method::{FsReadTextFile, FsWriteTextFile, SessionRequestPermission};
use serde_json::Value;
use std::path::Path;

probes! { Run:
    "FS-01" each_method_needs_its_own_capability;
    "FS-08" a_relative_path_is_sent_as_absolute;
    "FS-11" a_null_result_is_a_success;
    "FS-12" text_is_written_unchanged;
    "FS-12" an_edit_keeps_the_rest_of_the_file;
}

/// Text that is easily corrupted: LF and CRLF line breaks, a space at the end of a line, characters
/// beyond the basic plane, and no final line break.
const FRAGILE: &str = "one\r\ntwo \n\tthree 🦀 e\u{301}\r\n\n  four";

/// Offers no file capability, then only reading, then only writing. The agent must not make calls
/// that are not offered.
async fn each_method_needs_its_own_capability(run: &mut Run) -> Probed {
    run.follows_prompts().await?;
    for (can, has_read, has_write) in
        [("nothing", false, false), ("read", true, false), ("write", false, true)]
    {
        let (old, new) =
            (file(run, "attache-old.txt", "old\n")?, new_path_in(run, "attache-new.txt")?);
        let folder = run.folder().to_owned();
        let fs = json!({"readTextFile": has_read, "writeTextFile": has_write});
        let talk = run.talk_with(json!({"fs": fs})).await?;
        let session = talk.open(&folder).await?;
        talk.answer::<SessionRequestPermission>(choose(&ALLOW));
        let first = talk.now();
        let acts = call(read(&old)).then(call(write(&new, "new\n")));
        let played = play_in(talk, &session, acts.then(say("done"))).await?;
        let calls = [
            (count::<FsReadTextFile>(talk, first), has_read),
            (count::<FsWriteTextFile>(talk, first), has_write),
        ];
        let [reads, writes] = calls.map(|(count, is_offered)| if is_offered { 0 } else { count });
        let seen = format!("{reads} reads and {writes} writes that the client does not offer");
        expect(
            reads + writes == 0,
            format!("only calls that a client that offers {can} supports"),
            seen,
        )?;
        if tool_calls(&played).is_empty() {
            return not_tested("the agent reports no tool call, so it may not have used a tool");
        }
    }
    Ok(())
}

async fn a_relative_path_is_sent_as_absolute(run: &mut Run) -> Probed {
    let name = "attache-relative.txt";
    file(run, name, "read me\n")?;
    let new = "attache-relative-new.txt";
    new_path_in(run, new)?;
    run.follows_prompts().await?;
    let (talk, session) = run.session().await?;
    talk.answer::<SessionRequestPermission>(choose(&ALLOW));
    let first = talk.now();
    play_in(talk, &session, call(read(name)).then(call(write(new, "new\n"))).then(say("done")))
        .await?;
    let mut calls = talk
        .heard(first)
        .filter(|line| line.calls::<FsReadTextFile>() || line.calls::<FsWriteTextFile>())
        .peekable();
    if calls.peek().is_none() {
        return skipped("the agent uses neither fs/read_text_file nor fs/write_text_file here");
    }
    let path = |line: &Line| line.get("params")?.get("path")?.as_str().map(str::to_owned);
    match calls.filter_map(path).find(|path| !Path::new(path).is_absolute()) {
        Some(path) => fail("an absolute path", quoted(&path)),
        None => Ok(()),
    }
}

async fn a_null_result_is_a_success(run: &mut Run) -> Probed {
    let path = new_path_in(run, "attache-new.txt")?;
    run.follows_prompts().await?;
    let (talk, session) = run.session().await?;
    talk.answer::<SessionRequestPermission>(choose(&ALLOW));
    let acts = call(write(&path, "new\n")).then(say("done"));
    let first = talk.now();
    let usual = play_in(talk, &session, acts.clone()).await?;
    if count::<FsWriteTextFile>(talk, first) == 0 {
        return skipped("the agent does not use fs/write_text_file");
    }
    let usual: Vec<_> = tool_calls(&usual)
        .iter()
        .map(|reported| reported.states().last().map(|it| (*it).to_owned()))
        .collect();
    new_path_in(run, "attache-new.txt")?;
    let (talk, session) = run.session().await?;
    talk.answer::<SessionRequestPermission>(choose(&ALLOW));
    talk.answer::<FsWriteTextFile>(|params| {
        let path = params.get("path").and_then(Value::as_str).unwrap_or_default();
        let content = params.get("content").and_then(Value::as_str).unwrap_or_default();
        // If this write fails, it also failed in the first turn, so the statuses of both turns can
        // still be compared.
        put(Path::new(path), content)
            .map_or(Answer::Error(-32603), |()| Answer::Result(Value::Null))
    });
    let played = talk.play(&session, acts).await?;
    played.stop_reason()?;
    let states: Vec<_> = tool_calls(&played)
        .iter()
        .map(|reported| reported.states().last().map(|it| (*it).to_owned()))
        .collect();
    expect(
        states == usual,
        format!("the tool call ends with the same status as after {{}}: {usual:?}"),
        format!("{states:?}"),
    )
}

async fn text_is_written_unchanged(run: &mut Run) -> Probed {
    let path = new_path_in(run, "attache-fragile.txt")?;
    play(run, call(write(&path, FRAGILE)).then(say("done"))).await?;
    match std::fs::read_to_string(&path) {
        Ok(text) => expect(text == FRAGILE, format!("{FRAGILE:?}"), format!("{text:?}")),
        Err(_) => not_tested("the agent does not write the file"),
    }
}

async fn an_edit_keeps_the_rest_of_the_file(run: &mut Run) -> Probed {
    let path = file(run, "attache-edited.txt", FRAGILE)?;
    let acts = call(read(&path)).then(call(edit(&path, "three", "3"))).then(say("done"));
    play(run, acts).await?;
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    if text == FRAGILE {
        return not_tested("the agent does not edit the file");
    }
    let expected = FRAGILE.replace("three", "3");
    expect(text == expected, format!("{expected:?}"), format!("{text:?}"))
}
