//! Runs tests with a mutation.

use crate::Problem;
use crate::suite::{Program, Suite};
use attache_mutations::{Mutation, TestName};
use std::collections::BTreeMap;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// How a test ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ended {
    Green,
    Red,
    /// The test was stopped because it took too long.
    Hung,
}

/// Runs the test of every mutation with that mutation, prints each result, and returns the
/// mutations that no test detected.
pub(crate) fn run(
    suite: &Suite,
    mutations: &[&'static Mutation],
    green: &BTreeMap<TestName, Duration>,
    problems: &mut Vec<Problem>,
) {
    let done = AtomicUsize::new(0);
    let found = in_parallel(mutations, |mutation| {
        let took = green.get(&mutation.test).copied().unwrap_or_default();
        // The machine may be busy, so the limit is generous. A test that is expected to hang gets
        // less time.
        let least = Duration::from_secs(if mutation.hangs { 5 } else { 60 });
        let limit = (took * 20).max(least);
        let ended = match suite.program(mutation.test) {
            Some(program) => run_test(program, mutation.test.name, Some(mutation.name), limit),
            None => Err("there is no such test".to_owned()),
        };
        let took = ended.as_ref().map_or(Duration::ZERO, |(_, took)| *took);
        let problem = match ended {
            Ok((Ended::Red, _)) => None,
            Ok((Ended::Hung, _)) if mutation.hangs => None,
            Ok((Ended::Hung, _)) => Some(format!(
                "the test hangs; if that is expected, add `- hangs`: {}",
                mutation.test
            )),
            Ok((Ended::Green, _)) => {
                Some(format!("not detected: the test passes: {}", mutation.test))
            }
            Err(error) => Some(error),
        };
        let word = if problem.is_none() { "noticed " } else { "SURVIVED" };
        let number = done.fetch_add(1, Ordering::Relaxed) + 1;
        let (all, seconds, rules) =
            (mutations.len(), took.as_secs_f32(), mutation.rules.join(", "));
        println!("{number:>4}/{all} {word} {} ({rules}) in {seconds:.1} s", mutation.name);
        problem
    });
    for (mutation, problem) in mutations.iter().zip(found) {
        problems.extend(problem.map(|what| Problem { mutation: mutation.name, what }));
    }
}

/// Runs one test, with or without a mutation.
pub(crate) fn run_test(
    program: &Program,
    test: &str,
    fault: Option<&str>,
    limit: Duration,
) -> Result<(Ended, Duration), String> {
    let start = Instant::now();
    let mut command = Command::new(&program.path);
    command
        .args(["--exact", test])
        .current_dir(&program.folder)
        .env("CARGO_MANIFEST_DIR", &program.folder);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // Use a separate process group, so that the processes of a hanging test end with it.
    command.env("ATTACHE_MUTATION", fault.unwrap_or_default()).process_group(0);
    let failed = |error| format!("cannot run {}: {error}", program.path.display());
    let mut child = command.spawn().map_err(failed)?;
    loop {
        if let Some(status) = child.try_wait().map_err(failed)? {
            return Ok((if status.success() { Ended::Green } else { Ended::Red }, start.elapsed()));
        }
        if start.elapsed() > limit {
            if let Ok(group) = libc::pid_t::try_from(child.id()) {
                // SAFETY: `kill` accesses no memory. The child has not been waited for, so no other
                // process can have its id.
                unsafe { libc::kill(-group, libc::SIGKILL) };
            }
            child.wait().map_err(failed)?;
            return Ok((Ended::Hung, limit));
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Calls `work` for every item and returns the results in the order of the items. Runs four items
/// per processor at a time, because tests mostly wait.
pub(crate) fn in_parallel<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let (next, answers) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let threads = std::thread::available_parallelism().map_or(4, |processors| 4 * processors.get());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some((index, item)) = Some(next.fetch_add(1, Ordering::Relaxed))
                    .and_then(|index| Some((index, items.get(index)?)))
                {
                    let answer = work(item);
                    answers
                        .lock()
                        .unwrap_or_else(std::sync::PoisonError::into_inner)
                        .push((index, answer));
                }
            });
        }
    });
    let mut answers = answers.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    answers.sort_by_key(|(index, _)| *index);
    answers.into_iter().map(|(_, answer)| answer).collect()
}

#[cfg(test)]
mod tests {
    use super::in_parallel;

    #[test]
    fn results_have_the_order_of_the_items() {
        let items: Vec<u64> = (0..100).collect();
        assert_eq!(
            in_parallel(&items, |item| item * 2),
            items.iter().map(|item| item * 2).collect::<Vec<_>>()
        );
    }
}
