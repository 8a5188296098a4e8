//! A rule and a group of rules.

/// One numbered requirement of the protocol, version 1 and its unstable additions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rule {
    /// The id: the group's prefix and two digits, such as `CONF-07`. It never changes its meaning.
    pub id: &'static str,
    /// Who has to keep it.
    pub binds: Binds,
    /// How strongly, as a judge needs it.
    pub strength: Strength,
    /// The exact word of the source: `MUST NOT`, `should*`, `IMPL` and so on. A star marks wording
    /// in lower case or a plain statement, which binds all the same.
    pub word: &'static str,
    /// What it says, as Markdown in one line.
    pub text: &'static str,
    /// How a tester sees from outside whether it is kept, as Markdown in one line; `None` where it
    /// cannot be seen. `A←` means that the tester plays the client against an agent, `C←` the agent
    /// against a client, and a text that begins with `UI` is seen by a person only.
    pub observation: Option<&'static str>,
    /// Where it comes from; `None` for what the specification leaves open. `D:x`, `DD:x` and `R:x`
    /// are the documentation, its draft and the RFD named x; `S` and `U` the stable and unstable
    /// schema; `RS` the Rust crate of the schema; `P` a probe of its decoder; `TS` and `RSDK` the
    /// official runtimes; `GIT` the history of the specification.
    pub source: Option<&'static str>,
}

/// Who has to keep a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Binds {
    /// Agents.
    Agent,
    /// Clients.
    Client,
    /// Agents and clients.
    Both,
    /// Whoever sends the message.
    Sender,
    /// Whoever receives the message.
    Receiver,
    /// A proxy between client and agent.
    Proxy,
    /// The conductor of a chain of proxies.
    Conductor,
    /// Proxies and their conductor.
    Chain,
}

/// How strongly a rule binds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Strength {
    /// A peer that breaks it is at fault: `MUST`, `MUST NOT`, `must*`, `must not*`.
    Must,
    /// A peer needs a reason to break it: `SHOULD`, `SHOULD NOT`, `should*`.
    Should,
    /// A peer may do so; others have to cope: `MAY`.
    May,
    /// The specification is silent and the official runtimes do it: `IMPL`.
    Practice,
    /// The specification is silent and we advise it: `REC`. No peer is at fault for doing
    /// otherwise.
    Advice,
}

/// Rules about one topic, which share the prefix of their ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Group {
    /// What the ids begin with, such as `CONF`.
    pub prefix: &'static str,
    /// What the rules are about, as a heading.
    pub title: &'static str,
    /// The rules by their numbers, which begin at 1 and have no gap.
    pub rules: &'static [Rule],
}

impl Rule {
    /// What the id begins with: the prefix of the rule's group.
    pub fn prefix(&self) -> &'static str {
        self.id.split_once('-').map_or(self.id, |(prefix, _)| prefix)
    }

    /// Whether its word forbids something: its text may name the act that is forbidden.
    pub fn forbids(&self) -> bool {
        self.word.to_ascii_lowercase().contains("not")
    }

    /// Whether a peer that breaks it is at fault: it is a must, or what is judged of it binds
    /// although its word gives leave for the rest.
    ///
    /// SESS-06 is such a rule. An agent may serve several sessions, and one that does not breaks
    /// nothing. But `sessionId` identifies the session that a message is about, which is a plain
    /// statement of the schema: one that names another session is wrong.
    pub fn must_hold(&self) -> bool {
        self.strength == Strength::Must || self.id == "SESS-06"
    }

    /// How strongly it binds, as people read it: the word of its strength, with `not` where the
    /// rule forbids.
    pub fn strength_word(&self) -> &'static str {
        match self.strength {
            Strength::Must if self.forbids() => "must not",
            Strength::Should if self.forbids() => "should not",
            _ if self.must_hold() => Strength::Must.as_str(),
            strength => strength.as_str(),
        }
    }

    /// Whether a peer's traffic, files or processes show that it keeps or breaks the rule.
    pub fn is_wire_visible(&self) -> bool {
        self.observation.is_some_and(|observation| !observation.starts_with("UI"))
    }
}

impl Binds {
    /// The word for it, as people read it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Client => "client",
            Self::Both => "both",
            Self::Sender => "sender",
            Self::Receiver => "receiver",
            Self::Proxy => "proxy",
            Self::Conductor => "conductor",
            Self::Chain => "chain",
        }
    }
}

impl Strength {
    /// The word for it, as people read it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Must => "must",
            Self::Should => "should",
            Self::May => "may",
            Self::Practice => "practice",
            Self::Advice => "advice",
        }
    }
}
