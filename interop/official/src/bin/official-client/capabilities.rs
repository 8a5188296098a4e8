//! The offered capabilities: all, except those that the command line removes.

use agent_client_protocol::v1::schema::{
    AuthCapabilities, BooleanConfigOptionCapabilities, ClientCapabilities,
    ClientSessionCapabilities, CompactionCapabilities, ElicitationCapabilities,
    ElicitationFormCapabilities, ElicitationUrlCapabilities, FileSystemCapabilities,
    NoticeCapabilities, PlanCapabilities, SessionConfigOptionsCapabilities, SubagentCapabilities,
};

use official_peers::client::command_line::Work;

pub(crate) fn offered(work: &Work) -> ClientCapabilities {
    let offers = |name: &str| work.offers(name);
    let boolean = offers("boolean").then(BooleanConfigOptionCapabilities::new);
    let session = ClientSessionCapabilities::new()
        .config_options(SessionConfigOptionsCapabilities::new().boolean(boolean))
        .notices(offers("notices").then(NoticeCapabilities::new))
        .compaction(offers("compaction").then(CompactionCapabilities::new));
    let elicitation = ElicitationCapabilities::new()
        .form(offers("form").then(ElicitationFormCapabilities::new))
        .url(offers("url").then(ElicitationUrlCapabilities::new));
    ClientCapabilities::new()
        .fs(FileSystemCapabilities::new()
            .read_text_file(offers("fs"))
            .write_text_file(offers("fs")))
        .terminal(offers("terminal"))
        .session(session)
        .auth(AuthCapabilities::new().terminal(offers("login")))
        .elicitation(elicitation)
        .plan(offers("plan").then(PlanCapabilities::new))
        .subagents(offers("subagents").then(SubagentCapabilities::new))
}
