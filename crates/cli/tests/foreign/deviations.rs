//! What is known to be otherwise with foreign peers. A scenario that is listed must fail, so that this list stays true.

use attache_scenario::{Bindings, Scenario};

/// One scenario that a peer does not pass.
#[derive(Debug)]
pub(crate) struct Deviation {
    pub(crate) peer: &'static str,
    pub(crate) title: &'static str,
    /// What it does instead.
    pub(crate) why: &'static str,
}

/// What became of the scenarios of one peer.
#[derive(Default)]
pub(crate) struct Report(Vec<String>);

impl Report {
    /// Takes the outcome of one scenario.
    pub(crate) fn add(&mut self, peer: &str, title: &str, known: &[Deviation], outcome: Result<(), String>) {
        let listed = known.iter().find(|deviation| deviation.peer == peer && deviation.title == title);
        match (outcome, listed) {
            (Ok(()), None) | (Err(_), Some(_)) => {}
            (Err(failure), None) => self.0.push(format!("{peer}: {failure}")),
            (Ok(()), Some(Deviation { why, .. })) => self.0.push(format!(
                "{peer} passes \"{title}\", which is listed as a deviation ({why}): take it off the list"
            )),
        }
    }

    /// Fails the test with everything that was not as expected.
    pub(crate) fn finish(self) {
        assert!(self.0.is_empty(), "{} surprises:\n\n{}", self.0.len(), self.0.join("\n\n"));
    }
}

/// The scenarios of some files, whose titles are all different.
pub(crate) fn scenarios(files: &[(&str, &str)], known: &[Deviation]) -> Vec<Scenario> {
    let mut scenarios: Vec<Scenario> = Vec::new();
    for (name, text) in files {
        let read = Scenario::read_all(text).unwrap_or_else(|error| panic!("scenarios/{name}: {error}"));
        assert!(!read.is_empty(), "scenarios/{name} holds none");
        for scenario in read {
            assert!(scenarios.iter().all(|other| other.title != scenario.title), "two of {}", scenario.title);
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
