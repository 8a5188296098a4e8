//! A rule and a group of rules.

/// One numbered requirement of the protocol: of version 1 and its unstable additions, or of version
/// 2 (the group V2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rule {
    /// The id: the group's prefix and two digits, such as `CONF-07`. It never changes its meaning.
    pub id: &'static str,
    /// The side that must keep the rule.
    pub binds: Binds,
    /// The strength with which the judge applies the rule.
    pub strength: Strength,
    /// The exact word of the source, such as `MUST NOT`, `should*` or `IMPL`. A star marks a word
    /// in lower case or a plain statement. Both bind like the word in upper case.
    pub word: &'static str,
    /// The text, as one line of Markdown.
    pub text: &'static str,
    /// How a tester observes the rule from outside, as one line of Markdown, or `None` if it cannot
    /// be observed. `A←` means that the tester is the client of an agent, `C←` that it is the agent
    /// of a client. A text that begins with `UI` is visible only to a person.
    pub observation: Option<&'static str>,
    /// The source, or `None` if the specification leaves it open. `D:x`, `DD:x` and `R:x` are the
    /// documentation, its draft and the RFD named x; `S` and `U` the stable and unstable schema,
    /// `v2 S` that of version 2; `RS` the Rust crate of the schema; `P` a probe of its decoder;
    /// `TS` and `RSDK` the official runtimes; `GIT` the history of the specification.
    pub source: Option<&'static str>,
}

/// Who must keep a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Binds {
    /// Agents.
    Agent,
    /// Clients.
    Client,
    /// Agents and clients.
    Both,
    /// The sender of the message.
    Sender,
    /// The receiver of the message.
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
    /// A peer that breaks the rule is at fault: `MUST`, `MUST NOT`, `must*`, `must not*`.
    Must,
    /// A peer needs a reason to break the rule: `SHOULD`, `SHOULD NOT`, `should*`.
    Should,
    /// The rule is optional for a peer, but other peers must accept either behaviour: `MAY`.
    May,
    /// The specification does not mention the rule, but the official runtimes follow it: `IMPL`.
    Practice,
    /// The specification does not mention the rule, but we recommend it: `REC`. A peer may do
    /// otherwise without being at fault.
    Advice,
}

/// Rules about one topic, which share the prefix of their ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Group {
    /// The prefix of the ids, such as `CONF`.
    pub prefix: &'static str,
    /// The topic, as a heading.
    pub title: &'static str,
    /// The rules in the order of their numbers, which begin at 1 without gaps.
    pub rules: &'static [Rule],
}

impl Rule {
    /// Returns the prefix of the id, which is the prefix of the rule's group.
    pub fn prefix(&self) -> &'static str {
        self.id.split_once('-').map_or(self.id, |(prefix, _)| prefix)
    }

    /// Whether the rule forbids something. Its text may then name the forbidden act.
    pub fn forbids(&self) -> bool {
        self.word.to_ascii_lowercase().contains("not")
    }

    /// Whether a peer that breaks the rule is at fault. That is the case for every must, and for a
    /// rule whose judged part is binding although its word is weaker.
    ///
    /// SESS-06 is such a rule. An agent need not serve several sessions. But the schema states that
    /// `sessionId` identifies the session of a message, so an agent that names another session is
    /// at fault.
    pub fn must_hold(&self) -> bool {
        self.strength == Strength::Must || self.id == "SESS-06"
    }

    /// Returns the word for the rule's strength, with `not` if the rule forbids something.
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
    /// Returns the word for this side in output for people.
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
    /// Returns the word for this strength in output for people.
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
