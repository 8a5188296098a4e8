//! Foreign agents for tests: small shell scripts.

use crate::project::Project;
use std::fs;

/// The shell code for each method; `$id` is the id of the request.
pub(crate) struct Script<'s> {
    pub(crate) initialize: &'s str,
    pub(crate) new: &'s str,
    pub(crate) prompt: &'s str,
    /// More cases of the shell, such as `*'"session/load"'*) reply '{}' ;;`.
    pub(crate) other: &'s str,
}

impl Default for Script<'_> {
    fn default() -> Self {
        Self {
            initialize: r#"reply '{"protocolVersion":1}'"#,
            new: r#"reply '{"sessionId":"s"}'"#,
            prompt: r#"reply '{"stopReason":"end_turn"}'"#,
            other: "",
        }
    }
}

impl Script<'_> {
    /// Writes the script beside the project's files and returns the command that starts it.
    pub(crate) fn install(&self, project: &Project) -> String {
        let Self { initialize, new, prompt, other } = self;
        let text = format!(
            r#"reply() {{ printf '{{"jsonrpc":"2.0","id":%s,"result":%s}}\n' "$id" "$1"; }}
refuse() {{ printf '{{"jsonrpc":"2.0","id":%s,"error":%s}}\n' "$id" "$1"; }}
update() {{ printf '{{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"s","update":%s}}}}\n' "$1"; }}
while IFS= read -r line; do
  id=$(printf '%s' "$line" | sed 's/.*"id":\([0-9]*\).*/\1/')
  case "$line" in
    *'"initialize"'*) {initialize} ;;
    *'"session/new"'*) {new} ;;
    *'"session/prompt"'*) {prompt} ;;
    {other}
  esac
done
"#
        );
        let path = project.path().join("agent.sh");
        fs::write(&path, text).unwrap();
        format!("sh {}", path.display())
    }
}
