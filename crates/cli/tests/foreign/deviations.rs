//! What is known to be otherwise with foreign peers. A scenario that is listed must fail, so that
//! this list stays true.

use attache_scenario::{Bindings, Scenario};
use tokio::task::JoinSet;

/// One scenario that a peer does not pass.
#[derive(Debug)]
pub(crate) struct Deviation {
    pub(crate) peer: &'static str,
    pub(crate) title: &'static str,
    /// What it does instead.
    pub(crate) why: &'static str,
}

/// How many scenarios are played at once.
const AT_ONCE: usize = 4;

/// Plays all scenarios, each given by its title and what plays it, and fails the test with
/// everything that was not as expected.
pub(crate) async fn play_all<P>(
    peer: &str,
    known: &[Deviation],
    plays: impl IntoIterator<Item = (String, P)>,
) where
    P: Future<Output = Result<(), String>> + Send + 'static,
{
    let mut waiting = plays.into_iter();
    let (mut playing, mut surprises) = (JoinSet::new(), Vec::new());
    loop {
        while playing.len() < AT_ONCE
            && let Some((title, play)) = waiting.next()
        {
            playing.spawn(async move { (title, play.await) });
        }
        let Some(played) = playing.join_next().await else { break };
        let (title, outcome) = played.unwrap();
        surprises.extend(surprise(peer, &title, known, outcome));
    }
    assert!(surprises.is_empty(), "{} surprises:\n\n{}", surprises.len(), surprises.join("\n\n"));
}

/// What is wrong with this outcome, if anything is.
fn surprise(
    peer: &str,
    title: &str,
    known: &[Deviation],
    outcome: Result<(), String>,
) -> Option<String> {
    let listed = known.iter().find(|deviation| deviation.peer == peer && deviation.title == title);
    match (outcome, listed) {
        (Ok(()), None) | (Err(_), Some(_)) => None,
        (Err(failure), None) => Some(format!("{peer}: {failure}")),
        (Ok(()), Some(Deviation { why, .. })) => Some(format!(
            "{peer} passes \"{title}\", which is listed as a deviation ({why}): take it off the list"
        )),
    }
}

/// The scenarios of some files, whose titles are all different.
pub(crate) fn scenarios(files: &[(&str, &str)], known: &[Deviation]) -> Vec<Scenario> {
    let mut scenarios: Vec<Scenario> = Vec::new();
    for (name, text) in files {
        let read =
            Scenario::read_all(text).unwrap_or_else(|error| panic!("scenarios/{name}: {error}"));
        assert!(!read.is_empty(), "scenarios/{name} holds none");
        for scenario in read {
            assert!(
                scenarios.iter().all(|other| other.title != scenario.title),
                "two of {}",
                scenario.title
            );
            scenarios.push(scenario);
        }
    }
    for Deviation { title, .. } in known {
        assert!(
            scenarios.iter().any(|scenario| scenario.title == *title),
            "no scenario is called \"{title}\""
        );
    }
    scenarios
}

/// What the names of a scenario stand for from the start.
pub(crate) fn bindings(words: &[(&str, &str)]) -> Bindings {
    let mut bindings = Bindings::default();
    for (name, value) in words {
        bindings.bind(name, *value);
    }
    bindings
}

#[test]
fn a_listed_deviation_must_be_there() {
    let known = [Deviation { peer: "a", title: "t", why: "w" }];
    assert_eq!(surprise("a", "t", &known, Err("f".into())), None);
    assert_eq!(surprise("b", "t", &known, Ok(())), None);
    assert!(surprise("a", "t", &known, Ok(())).is_some());
    assert!(surprise("b", "t", &known, Err("f".into())).is_some());
    assert!(surprise("a", "u", &known, Err("f".into())).is_some());
}
