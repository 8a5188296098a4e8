//! Known deviations of foreign peers. A listed scenario must fail, so that the list stays correct.

use attache_scenario::{Bindings, Scenario};
use tokio::task::JoinSet;

/// A scenario that a peer is known to fail.
#[derive(Debug)]
pub(crate) struct Deviation {
    pub(crate) peer: &'static str,
    pub(crate) title: &'static str,
    /// What the peer does instead.
    pub(crate) why: &'static str,
}

/// The number of scenarios that are played at once.
const AT_ONCE: usize = 4;

/// Plays all scenarios, each given by its title and a future. Fails the test with a list of the
/// unexpected outcomes, if there are any.
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

/// Describes an unexpected outcome.
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
            "{peer} passes \"{title}\", which is listed as a deviation ({why}): remove it from the list"
        )),
    }
}

/// Reads the scenarios of some files; all titles must differ.
pub(crate) fn scenarios(files: &[(&str, &str)], known: &[Deviation]) -> Vec<Scenario> {
    let mut scenarios: Vec<Scenario> = Vec::new();
    for (name, text) in files {
        let read =
            Scenario::read_all(text).unwrap_or_else(|error| panic!("scenarios/{name}: {error}"));
        assert!(!read.is_empty(), "scenarios/{name} contains no scenario");
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

/// The initial values of names in scenarios.
pub(crate) fn bindings(words: &[(&str, &str)]) -> Bindings {
    let mut bindings = Bindings::default();
    for (name, value) in words {
        bindings.bind(name, *value);
    }
    bindings
}

#[test]
fn a_listed_deviation_must_occur() {
    let known = [Deviation { peer: "a", title: "t", why: "w" }];
    assert_eq!(surprise("a", "t", &known, Err("f".into())), None);
    assert_eq!(surprise("b", "t", &known, Ok(())), None);
    assert!(surprise("a", "t", &known, Ok(())).is_some());
    assert!(surprise("b", "t", &known, Err("f".into())).is_some());
    assert!(surprise("a", "u", &known, Err("f".into())).is_some());
}
