//! The steps that are the same for agents and clients: choosing rules, repeating, reports, exit
//! code.

use super::arguments::Judging;
use super::report::baseline;
use super::report::listener::Listener;
use super::report::report_file::write;
use super::report::verdicts::Printer;
use crate::exit::{Exit, Failure};
use crate::interrupt::Interrupts;
use crate::show::paint::Paint;
use crate::terminal;
use attache_check::{Form, Judgement, Selection, Support, Verdict, select};
use attache_protocol::method::Side;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;
use std::time::Instant;

/// One round of judging: the rules, the order of the probes, and the listener for results.
pub(super) struct Round<'l> {
    pub(super) only: Vec<Selection>,
    pub(super) seed: u64,
    pub(super) listener: &'l Listener,
}

/// Judges the peer that `command` starts, as many times as requested, and reports the results.
/// `judge` runs one round.
pub(super) async fn judge_and_report(
    side: Side,
    arguments: &Judging,
    command: &[OsString],
    mut judge: impl AsyncFnMut(Round<'_>) -> Result<(Vec<Verdict>, Support), Failure>,
) -> Result<Exit, Failure> {
    let only = arguments.only.iter().map(|rule| select(rule)).collect::<Result<Vec<_>, _>>();
    let only = only.map_err(Failure::usage)?;
    let (forms, baseline) = (forms(arguments)?, baseline::read(arguments)?);
    let interrupts = Interrupts::listen().map_err(|error| Failure::new(Exit::Internal, error))?;
    let listener = Listener::new(arguments.json);
    let command: Vec<String> =
        command.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let (began, mut judged) = (Instant::now(), None::<Judgement>);
    for round in 1..=arguments.repeat {
        listener.round(round, arguments.repeat);
        let seed = arguments.seed.wrapping_add(round as u64 - 1);
        let result = tokio::select! {
            // Dropping the round kills the peer and all of its processes.
            () = interrupts.cancel() => {
                listener.progress.clear();
                return interrupted(arguments, &listener, &command, side, judged);
            }
            result = judge(Round { only: only.clone(), seed, listener: &listener }) => result,
        };
        listener.progress.clear();
        let (verdicts, support) = result?;
        match &mut judged {
            Some(judgement) => judgement.repeated(verdicts, support),
            None => judged = Some(Judgement::new(&command, verdicts, support)),
        }
    }
    let Some(mut judgement) = judged else {
        return Err(Failure::usage("--repeat 0 judges nothing: use 1 or more"));
    };
    (judgement.seed, judgement.took) = (arguments.seed, began.elapsed());
    report(&judgement, &listener, arguments.json)?;
    for (path, form) in forms {
        write(path, &form.write(&judgement))?;
    }
    let (exit, said) = baseline::conclude(&judgement, baseline, arguments)?;
    // For people, these lines follow the report on stdout. With `--json` they go to stderr.
    let written = said.iter().try_for_each(|line| match arguments.json {
        true => writeln!(io::stderr(), "{line}"),
        false => writeln!(io::stdout(), "{line}"),
    });
    written.map_err(|error| Failure::output(&error))?;
    Ok(exit)
}

/// Reports the results of an interrupted run.
fn interrupted(
    arguments: &Judging,
    listener: &Listener,
    command: &[String],
    side: Side,
    judged: Option<Judgement>,
) -> Result<Exit, Failure> {
    let judgement = Judgement::new(command, listener.verdicts(), Support::of(side));
    let judgement = match judged {
        Some(mut earlier) => {
            earlier.repeated(judgement.verdicts, Support::of(side));
            earlier
        }
        None => judgement,
    };
    report(&judgement, listener, arguments.json)?;
    let reports = if arguments.report.is_empty() { "" } else { "; no report file was written" };
    let why = format!("interrupted after {}{reports}", listener.reached());
    Err(Failure::new(Exit::Cancelled, why))
}

/// Returns the requested report formats; unknown ones fail before anything is judged.
fn forms(arguments: &Judging) -> Result<Vec<(&Path, Form)>, Failure> {
    let form = |path: &Path| {
        Form::of_file(path).ok_or_else(|| {
            let shown = path.display();
            Failure::usage(format!(
                "--report {shown}: unknown file extension: use {}",
                Form::ENDINGS
            ))
        })
    };
    arguments.report.iter().map(|path| Ok((path.as_path(), form(path)?))).collect()
}

fn report(judgement: &Judgement, listener: &Listener, as_json: bool) -> Result<(), Failure> {
    if as_json {
        return listener.write_rest(&judgement.verdicts);
    }
    let printer = Printer { paint: Paint::of(&io::stdout()), columns: terminal::columns() };
    let mut out = io::BufWriter::new(io::stdout().lock());
    let written =
        printer.report(judgement).iter().try_for_each(|line| writeln!(out, "{}", line.trim_end()));
    written.and_then(|()| out.flush()).map_err(|error| Failure::output(&error))
}
