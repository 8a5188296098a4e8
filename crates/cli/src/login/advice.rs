//! Advice on how to log in.

use attache_client::Login;
use attache_host::Launch;
use attache_protocol::v1::AuthMethod;
use attache_view::sanitize;
use std::env;

/// Returns lines for a message: the login command and the required variables of each method, then
/// other requirements. `word` is the value of `--agent`.
pub(crate) fn advice(word: &str, methods: &[AuthMethod], needs: Option<&str>) -> String {
    let word = sanitize::line(word);
    let mut lines = match methods {
        // The list can be empty, because agents offer some methods only to clients with terminals
        // (AUTH-05).
        [] => format!("\nTo see its logins, run:\n  attache login {word}"),
        _ => "\nLog in with:".to_owned(),
    };
    for method in methods {
        let id = Launch::quoted(&sanitize::line(method.id().as_str()));
        let name = sanitize::line(method.name());
        lines.push_str(&format!("\n  attache login {word} {id:<20} {name}{}", unset(method)));
    }
    if let Some(needs) = needs {
        lines.push_str(&format!("\nIt needs {needs}."));
    }
    lines
}

/// Returns the unset variables that the method requires. Agents name them only in text for people,
/// since methods of the type `env_var` were removed (AUTH-15).
pub(super) fn unset(method: &AuthMethod) -> String {
    if !matches!(Login::of(method, Launch::new("")), Login::ByAgent) {
        return ", in a terminal".to_owned();
    }
    let texts = [method.name(), method.description().unwrap_or_default(), method.id().as_str()];
    let mut names: Vec<&str> = texts.into_iter().flat_map(variables).collect();
    names.dedup();
    names.retain(|name| env::var_os(name).is_none());
    match names.as_slice() {
        [] => String::new(),
        names => format!("; set {} first", names.join(" or ")),
    }
}

/// Returns the words of a text that look like variables, such as `GEMINI_API_KEY`.
fn variables(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    words.filter(|word| {
        let capitals =
            word.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
        capitals && word.contains('_') && word.starts_with(|c: char| c.is_ascii_uppercase())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use attache_protocol::v1::{AuthMethodAgent, AuthMethodTerminal};

    #[test]
    fn the_advice_names_commands_and_variables() {
        let key = AuthMethodAgent {
            description: Some(
                "Requires setting the `ROBOT_NO_SUCH_KEY` environment variable.".into(),
            ),
            ..AuthMethodAgent::new("key", "API key")
        };
        let methods = [key.into(), AuthMethodTerminal::new("a b", "In a terminal").into()];
        let advice = advice("robot", &methods, Some("an account"));
        for line in [
            "\n  attache login robot key                  API key; set ROBOT_NO_SUCH_KEY first",
            "\n  attache login robot 'a b'                In a terminal, in a terminal",
            "\nIt needs an account.",
        ] {
            assert!(advice.contains(line), "{advice}");
        }
        assert_eq!(
            variables("PATH is no _X but A_1, and A_B_").collect::<Vec<_>>(),
            ["A_1", "A_B_"]
        );
    }
}
