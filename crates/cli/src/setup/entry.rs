//! The entry that makes an editor start Attaché.

use super::arguments::{Editor, Setup};
use attache_host::Launch;
use serde_json::{Value, json};

/// The port that marimo expects the agent "Claude" at.
const MARIMO_PORT: u16 = 3017;

/// The command of an entry and its name.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// The name in the editor.
    pub(super) name: String,
    /// The name in settings that are programs: lower-case letters, digits and underscores.
    id: String,
    program: String,
    arguments: Vec<String>,
}

impl Entry {
    /// Returns the entry for these arguments. `program` is the path of this program, because
    /// editors that a desktop starts often have another `PATH`.
    pub(super) fn of(setup: &Setup, program: &str) -> Self {
        let (name, arguments) = match (&setup.agent, setup.shared) {
            (Some(agent), _) => {
                (format!("Attaché: {agent}"), vec!["attach", "--agent", agent.as_str()])
            }
            (None, true) => ("Attaché: shared".to_owned(), vec!["attach"]),
            (None, false) => ("Attaché".to_owned(), vec!["agent"]),
        };
        let mut id = String::from("attache");
        if let Some((_, rest)) = name.split_once(": ") {
            id.push('_');
            let plain =
                |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
            id.extend(rest.chars().map(plain));
        }
        let arguments = arguments.into_iter().map(str::to_owned).collect();
        Self { name, id, program: program.to_owned(), arguments }
    }

    /// Returns where the entry belongs.
    pub(super) fn advice(&self, editor: Editor) -> String {
        match editor {
            Editor::Zed => {
                "Add this to ~/.config/zed/settings.json, or run this command again with --write:"
            }
            Editor::Jetbrains => {
                "Add this to ~/.jetbrains/acp.json, or run this command again with --write:"
            }
            Editor::Codecompanion => "Add this to the setup of codecompanion.nvim:",
            Editor::Avante => "Add this to the setup of avante.nvim:",
            Editor::AgentShell => "Add this to your init file of Emacs:",
            Editor::Obsidian => {
                "Add a custom agent in Settings, Agent Client, Custom agents, with these fields:"
            }
            Editor::Marimo => {
                "marimo has a fixed list of agents. Run this bridge, then choose the agent Claude \
                 in marimo:"
            }
        }
        .to_owned()
    }

    /// Returns the value of the entry in a JSON file.
    pub(super) fn json(&self, editor: Editor) -> Value {
        let mut entry = json!({"command": self.program, "args": self.arguments, "env": {}});
        if let (Editor::Zed, Some(members)) = (editor, entry.as_object_mut()) {
            members.insert("type".to_owned(), "custom".into());
        }
        entry
    }

    /// Returns the entry as the editor needs it.
    pub(super) fn text(&self, editor: Editor) -> String {
        match editor {
            Editor::Zed | Editor::Jetbrains => {
                let mut agents = serde_json::Map::new();
                agents.insert(self.name.clone(), self.json(editor));
                format!("{:#}", json!({"agent_servers": agents}))
            }
            Editor::Codecompanion => self.codecompanion(),
            Editor::Avante => self.avante(),
            Editor::AgentShell => self.agent_shell(),
            Editor::Obsidian => format!(
                "Agent ID      {}\nDisplay name  {}\nPath          {}\nArguments     {}",
                self.id,
                self.name,
                self.program,
                self.arguments.join("\n              ")
            ),
            Editor::Marimo => {
                let words = std::iter::once(&self.program).chain(&self.arguments);
                let words: Vec<String> = words.map(|word| Launch::quoted(word)).collect();
                let command = Launch::quoted(&words.join(" "));
                format!("npx stdio-to-ws {command} --port {MARIMO_PORT}")
            }
        }
    }

    fn codecompanion(&self) -> String {
        let words: Vec<String> = std::iter::once(&self.program)
            .chain(&self.arguments)
            .map(|word| quoted(word))
            .collect();
        format!(
            "require(\"codecompanion\").setup({{\n\
             \x20 interactions = {{ chat = {{ adapter = {id} }} }},\n\
             \x20 adapters = {{\n\
             \x20   acp = {{\n\
             \x20     {} = function()\n\
             \x20       return require(\"codecompanion.adapters\").extend(\"opencode\", {{\n\
             \x20         name = {id},\n\
             \x20         formatted_name = {},\n\
             \x20         commands = {{ default = {{ {} }} }},\n\
             \x20       }})\n\
             \x20     end,\n\
             \x20   }},\n\
             \x20 }},\n\
             }})",
            self.id,
            quoted(&self.name),
            words.join(", "),
            id = quoted(&self.id),
        )
    }

    /// avante.nvim gives agents only `PATH` unless the entry says otherwise, and without these
    /// settings it allows every action without asking, or rejects what `Allow always` should allow.
    fn avante(&self) -> String {
        let arguments: Vec<String> = self.arguments.iter().map(|word| quoted(word)).collect();
        format!(
            "require(\"avante\").setup({{\n\
             \x20 provider = {id},\n\
             \x20 acp_providers = {{\n\
             \x20   [{id}] = {{\n\
             \x20     command = {},\n\
             \x20     args = {{ {} }},\n\
             \x20     env = vim.fn.environ(),\n\
             \x20   }},\n\
             \x20 }},\n\
             \x20 behaviour = {{\n\
             \x20   auto_approve_tool_permissions = false,\n\
             \x20   confirmation_ui_style = \"popup\",\n\
             \x20 }},\n\
             }})",
            quoted(&self.program),
            arguments.join(", "),
            id = quoted(&self.id),
        )
    }

    fn agent_shell(&self) -> String {
        let arguments: Vec<String> = self.arguments.iter().map(|word| quoted(word)).collect();
        let name = quoted(&self.name);
        let prompt = quoted(&format!("{}> ", self.name));
        format!(
            "(with-eval-after-load 'agent-shell\n\
             \x20 (add-to-list\n\
             \x20  'agent-shell-agent-configs\n\
             \x20  (agent-shell-make-agent-config\n\
             \x20   :identifier '{}\n\
             \x20   :mode-line-name {name}\n\
             \x20   :buffer-name {name}\n\
             \x20   :shell-prompt {prompt}\n\
             \x20   :shell-prompt-regexp (regexp-quote {prompt})\n\
             \x20   :client-maker\n\
             \x20   (lambda (buffer)\n\
             \x20     (acp-make-client\n\
             \x20      :command {}\n\
             \x20      :command-params '({})\n\
             \x20      :context-buffer buffer)))))",
            self.id,
            quoted(&self.program),
            arguments.join(" "),
        )
    }
}

/// Quotes a text for Lua and Emacs Lisp.
fn quoted(text: &str) -> String {
    let mut out = String::from('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => out.extend(['\\', character]),
            '\n' => out.push_str("\\n"),
            _ => out.push(character),
        }
    }
    out.push('"');
    out
}
