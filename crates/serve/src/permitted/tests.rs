//! What clients on this machine and over TCP may do.

use super::{Permitted, Refused};
use crate::{
    AgentChoice, AttachedClient, ClientId, DeviceId, HubServices, Place, Scope, Served,
    SessionChange,
};
use attache_client::{Decision, Hub, ListedSession, PermissionRequest};
use attache_protocol::v1::{McpServer, McpServerHttp, McpServerStdio};
use attache_session::{PermissionId, ToolCallPatch};
use attache_view::RuleReach;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use tokio::sync::watch;

/// One agent, and these folders.
struct Services(Vec<PathBuf>);

impl HubServices for Services {
    fn agents(&self) -> Vec<AgentChoice> {
        vec![AgentChoice { name: "claude".to_owned(), ..AgentChoice::default() }]
    }

    fn add_agent(&self, _: &Hub, _: &str, _: bool) -> Result<String, String> {
        Err("not in this test".to_owned())
    }

    fn change(&self, _: ListedSession, _: SessionChange) -> Served<Result<(), String>> {
        Box::pin(async { Err("not in this test".to_owned()) })
    }

    fn folders(&self) -> Vec<PathBuf> {
        self.0.clone()
    }

    fn files(&self, _: &Path, _: &str, _: usize) -> Served<Vec<String>> {
        Box::pin(async { Vec::new() })
    }
}

fn client(place: Place, scope: Option<Scope>) -> AttachedClient {
    AttachedClient::new(ClientId(1), place, "test", watch::Sender::new(scope).subscribe())
}

fn remote(scope: Scope) -> AttachedClient {
    client(Place::Device(DeviceId("phone".to_owned())), Some(scope))
}

fn local() -> AttachedClient {
    client(Place::Socket, Some(Scope::Control))
}

#[test]
fn a_smaller_or_ended_scope_is_refused() {
    let services = Services(vec![PathBuf::from("/")]);
    for scope in [Some(Scope::Watch), Some(Scope::Answer), None] {
        let client = client(Place::Socket, scope);
        let permitted = Permitted::new(&client, &services);
        assert!(matches!(permitted.agent("claude"), Err(Refused::Scope(Scope::Control))));
        assert!(permitted.folder(Path::new("/")).is_err());
        assert!(permitted.mcp_servers(&[]).is_err());
        assert_eq!(permitted.rule(RuleReach::Session).is_ok(), scope == Some(Scope::Answer));
    }
}

#[test]
fn remote_clients_choose_agents_by_configured_name() {
    let services = Services(Vec::new());
    let (remote, local) = (remote(Scope::Control), local());
    let remote = Permitted::new(&remote, &services);
    remote.agent("claude").unwrap();
    for agent in ["", "Claude", "claude --dangerous", "/bin/sh"] {
        assert!(matches!(remote.agent(agent), Err(Refused::Agent(_))), "{agent}");
    }
    Permitted::new(&local, &services).agent("/bin/agent --acp").unwrap();
}

#[test]
fn remote_clients_open_only_folders_below_allowed_ones() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    for name in ["work/project", "worker", "other"] {
        fs::create_dir_all(root.join(name)).unwrap();
    }
    fs::write(root.join("work/file"), "").unwrap();
    symlink(root.join("other"), root.join("work/link")).unwrap();
    symlink(root.join("work"), root.join("alias")).unwrap();
    let services = Services(vec![root.join("alias"), root.join("missing")]);
    let (remote, local) = (remote(Scope::Control), local());
    let permitted = Permitted::new(&remote, &services);
    let open = |path: &str| permitted.folder(&root.join(path));
    assert_eq!(open("work").unwrap(), root.join("work"));
    assert_eq!(open("alias/project").unwrap(), root.join("work/project"));
    for path in ["", "worker", "other", "work/link", "work/..", "work/file", "none"] {
        assert!(matches!(open(path), Err(Refused::Folder(_))), "{path}");
    }
    assert!(permitted.folder(Path::new("work")).is_err(), "relative");
    let missing = open("none").unwrap_err().to_string();
    let outside = open("other").unwrap_err().to_string();
    assert_eq!(missing.replace("none", "other"), outside, "nothing is learned about other folders");
    let local = Permitted::new(&local, &services);
    local.folder(&root.join("other")).unwrap();
    assert!(matches!(local.folder(&root.join("none")), Err(Refused::Unusable(..))));
}

#[test]
fn remote_clients_start_no_mcp_servers() {
    let services = Services(Vec::new());
    let program = McpServer::Stdio(McpServerStdio::new("tools", "/bin/sh", vec![], vec![]));
    let address = McpServer::Http(McpServerHttp::new("web", "https://mcp.example", vec![]));
    let (remote, local) = (remote(Scope::Control), local());
    let permitted = Permitted::new(&remote, &services);
    permitted.mcp_servers(std::slice::from_ref(&address)).unwrap();
    let refused = permitted.mcp_servers(&[address, program.clone()]);
    assert!(matches!(refused, Err(Refused::McpServer(name)) if name == "tools"));
    Permitted::new(&local, &services).mcp_servers(&[program]).unwrap();
}

fn request(options: &[&str]) -> PermissionRequest {
    let option = |kind: &&str| {
        let text = format!(r#"{{"optionId":"{kind}","name":"{kind}","kind":"{kind}"}}"#);
        attache_protocol::decode(&text).unwrap()
    };
    let call = ToolCallPatch::new("1");
    PermissionRequest::new(PermissionId(1), "s".into(), call, options.iter().map(option).collect())
}

#[test]
fn the_scope_answer_allows_neither_for_good_nor_protected_files() {
    let services = Services(Vec::new());
    let (watch, answer, control) =
        (remote(Scope::Watch), remote(Scope::Answer), remote(Scope::Control));
    let all = request(&["allow_always", "allow_once", "reject_once"]);
    let always_only = request(&["allow_always", "reject_once"]);
    let mut unknown = all.clone();
    unknown.unknown_subject = Some(attache_protocol::Raw::from_text("{}").unwrap());
    let choose = |id: &str| Decision::Choose(id.into());
    let check = |client: &AttachedClient, request: &PermissionRequest, decision: &Decision| {
        Permitted::new(client, &services).answer(request, decision)
    };
    check(&answer, &all, &choose("allow_once")).unwrap();
    check(&answer, &all, &Decision::Allow).unwrap();
    check(&answer, &unknown, &Decision::Reject).unwrap();
    for decision in [choose("allow_always"), choose("allow_once"), Decision::Allow] {
        assert!(matches!(check(&watch, &all, &decision), Err(Refused::Scope(Scope::Answer))));
        assert!(matches!(check(&answer, &unknown, &decision), Err(Refused::Protected)));
        check(&control, &unknown, &decision).unwrap();
    }
    let lasting = |result| matches!(result, Err(Refused::Lasting));
    assert!(lasting(check(&answer, &all, &choose("allow_always"))));
    assert!(lasting(check(&answer, &always_only, &Decision::Allow)));
    check(&control, &always_only, &Decision::Allow).unwrap();

    for reach in [RuleReach::Project, RuleReach::Everywhere] {
        assert!(lasting(Permitted::new(&answer, &services).rule(reach)));
        Permitted::new(&control, &services).rule(reach).unwrap();
    }
    Permitted::new(&answer, &services).rule(RuleReach::Session).unwrap();
}
