//! Messages that a client must not send to an agent that does not advertise them (V2-06, V2-11 to
//! V2-13).

use crate::client::probe::ungated::{Gate, directories, http_servers, images};
use crate::client::run::ClientRun;
use crate::client::scenario::Scenario;
use crate::json::json;
use crate::judging::conversation::quoted;
use crate::judging::probe::probes;
use crate::judging::verdict::{Probed, fail};
use attache_protocol::method::v2::{AuthLogin, AuthLogout};
use attache_protocol::method::{Initialize, Method, SessionDelete, SessionFork, SessionNew};
use serde_json::Value;

probes! { ClientRun:
    "V2-06" login_is_called_only_with_login_methods;
    "V2-06" logout_is_called_only_with_login_methods;
    "V2-11" sessions_are_opened_only_if_offered;
    "V2-11" delete_is_called_only_if_offered;
    "V2-11" fork_is_called_only_if_offered;
    "V2-12" images_are_sent_only_if_offered;
    "V2-13" http_servers_are_sent_only_if_offered;
    "V2-13" directories_are_sent_only_if_offered;
}

/// Returns a gate on a capability of an agent that has sessions.
fn gate(run: &ClientRun, task: &'static str, capability: &'static str) -> Gate {
    Gate::new(run, task, capability).with_other(json!({"session": {}}))
}

async fn sessions_are_opened_only_if_offered(run: &mut ClientRun) -> Probed {
    Gate::new(run, "prompt", "/session").sent_only_if_offered::<SessionNew>(run).await
}

async fn delete_is_called_only_if_offered(run: &mut ClientRun) -> Probed {
    gate(run, "delete", "/session/delete").sent_only_if_offered::<SessionDelete>(run).await
}

async fn fork_is_called_only_if_offered(run: &mut ClientRun) -> Probed {
    gate(run, "fork", "/session/fork").sent_only_if_offered::<SessionFork>(run).await
}

async fn images_are_sent_only_if_offered(run: &mut ClientRun) -> Probed {
    let gate = gate(run, "image", "/session/prompt/image");
    images(run, gate).await
}

async fn http_servers_are_sent_only_if_offered(run: &mut ClientRun) -> Probed {
    let gate = Gate::new(run, "mcp", "/session/mcp/http")
        .with_other(json!({"session": {"mcp": {"stdio": {}}}}));
    http_servers(run, gate).await
}

async fn directories_are_sent_only_if_offered(run: &mut ClientRun) -> Probed {
    let gate = gate(run, "directories", "/session/additionalDirectories");
    directories(run, gate).await
}

async fn login_is_called_only_with_login_methods(run: &mut ClientRun) -> Probed {
    needs_methods::<AuthLogin>(run, "login").await
}

async fn logout_is_called_only_with_login_methods(run: &mut ClientRun) -> Probed {
    needs_methods::<AuthLogout>(run, "logout").await
}

/// Checks that the task makes the client call method `M` if the agent has a login method, and that
/// the client does not call it if the agent has none.
async fn needs_methods<M: Method>(run: &mut ClientRun, task: &'static str) -> Probed {
    let task = run.task(task).with("method", "check-login");
    let with_method = |_| {
        let method = json!({"methodId": "check-login", "name": "Log in", "type": "agent"});
        Scenario::bare().with("/authMethods", json!([method]))
    };
    run.start_with(task.clone(), with_method).await?.hears::<M>().await?;
    for methods in [json!([]), Value::Null] {
        let scenario = move |_| Scenario::bare().with("/authMethods", methods.clone());
        let talk = run.start_with(task.clone(), scenario).await?;
        talk.hears::<Initialize>().await?;
        talk.ended().await;
        if let Some(line) = talk.heard::<M>() {
            return fail(
                format!("no call of {}, because the agent has no authMethods", M::ROW.name),
                quoted(&line.text),
            );
        }
    }
    Ok(())
}
