//! The names that agents use in the input of their tools, in small letters and without `_` and `-`.

/// A command: a line, a list of words, or an object with a program and its arguments.
pub(super) const COMMAND: &[&str] = &[
    "bash",
    "bashcommand",
    "cmd",
    "cmdline",
    "command",
    "commandline",
    "commandtoexecute",
    "executable",
    "fullcommand",
    "originalcommand",
    "program",
    "rawcommand",
    "shellcommand",
    "terminalcommand",
];

/// Several commands: each element is one.
pub(super) const COMMANDS: &[&str] =
    &["bashcommands", "cmds", "commandlines", "commands", "shellcommands"];

/// Commands that the agent derived from another of the same object.
pub(super) const DERIVED: &[&str] = &["parsedcmd", "parsedcommand", "parsedcommands"];

/// A command in the input of a call of the kind `execute`, if it names no other.
pub(super) const PERHAPS_COMMAND: &[&str] = &["exec", "input", "line", "run", "script", "shell"];

/// The arguments of a program.
pub(super) const ARGUMENTS: &[&str] = &["args", "arguments", "argv"];

/// Arguments of a tool, often as JSON in a string.
pub(super) const NESTED: &[&str] =
    &["args", "arguments", "input", "params", "parameters", "rawinput", "toolargs", "toolinput"];

/// The folder in which a command runs. Without a command it is a path.
pub(super) const FOLDER: &[&str] =
    &["currentdirectory", "cwd", "dir", "directory", "workdir", "workingdir", "workingdirectory"];

/// The variables of a command.
pub(super) const ENVIRONMENT: &[&str] = &["env", "environment", "environmentvariables", "envvars"];

/// A file or folder, or a list of them.
pub(super) const PATH: &[&str] = &[
    "absolutepath",
    "destination",
    "destinationpath",
    "dirpath",
    "dst",
    "file",
    "filename",
    "filenames",
    "filepath",
    "filepaths",
    "files",
    "folder",
    "folderpath",
    "movepath",
    "newpath",
    "notebookpath",
    "oldpath",
    "outputpath",
    "parentdir",
    "path",
    "paths",
    "relativepath",
    "root",
    "rootpath",
    "source",
    "sourcepath",
    "src",
    "target",
    "targetdirectory",
    "targetfile",
    "targetpath",
];

/// An address, or a list of them.
pub(super) const URL: &[&str] = &["endpoint", "href", "uri", "uris", "url", "urls", "website"];

/// Changes of files, by path.
pub(super) const CHANGES: &[&str] = &["changes", "filechanges"];

/// What only describes a call or limits its time.
pub(super) const DESCRIBES: &[&str] = &[
    "callid",
    "commandid",
    "description",
    "explanation",
    "intention",
    "justification",
    "processid",
    "reason",
    "requestid",
    "seconds",
    "timeout",
    "timeoutms",
    "timeoutseconds",
    "toolcallid",
    "turnid",
    "yieldtimems",
];

/// What an editor's tool calls its own operations; beside a path these are no programs.
pub(super) const EDITOR_OPERATIONS: &[&str] = &[
    "append",
    "create",
    "delete",
    "insert",
    "read",
    "rename",
    "str_replace",
    "undo_edit",
    "view",
    "write",
];

/// Whether a name of the input is in a list of this module.
pub(super) fn is_in(list: &[&str], name: &str) -> bool {
    let plain: String = name
        .chars()
        .filter(|each| !matches!(each, '_' | '-' | ' '))
        .collect::<String>()
        .to_ascii_lowercase();
    list.contains(&plain.as_str())
}
