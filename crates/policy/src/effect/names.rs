//! The names that agents use in the inputs of their tools, in lower case and without `_` and `-`.

/// Names of a command: a line, a list of words, or an object with a program and its arguments.
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

/// Names of a list of commands.
pub(super) const COMMANDS: &[&str] =
    &["bashcommands", "cmds", "commandlines", "commands", "shellcommands"];

/// Names of commands that the agent derived from another command of the same object.
pub(super) const DERIVED: &[&str] = &["parsedcmd", "parsedcommand", "parsedcommands"];

/// Names of a command, if the call is of the kind `execute` and its input has no other command.
pub(super) const PERHAPS_COMMAND: &[&str] = &["exec", "input", "line", "run", "script", "shell"];

/// Names of the arguments of a program.
pub(super) const ARGUMENTS: &[&str] = &["args", "arguments", "argv"];

/// Names of the arguments of a tool, which are often JSON in a string.
pub(super) const NESTED: &[&str] =
    &["args", "arguments", "input", "params", "parameters", "rawinput", "toolargs", "toolinput"];

/// Names of the folder in which a command runs. In an input without a command, the folder counts as
/// a path.
pub(super) const FOLDER: &[&str] =
    &["currentdirectory", "cwd", "dir", "directory", "workdir", "workingdir", "workingdirectory"];

/// Names of the variables of a command.
pub(super) const ENVIRONMENT: &[&str] = &["env", "environment", "environmentvariables", "envvars"];

/// Names of a file or folder, or of a list of them.
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

/// Names of an address, or of a list of addresses.
pub(super) const URL: &[&str] = &["endpoint", "href", "uri", "uris", "url", "urls", "website"];

/// Names of an object with the changes of files, by path.
pub(super) const CHANGES: &[&str] = &["changes", "filechanges"];

/// Names of members that only describe a call or limit its time.
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

/// The names that editing tools give their operations. They are not programs if the input also has
/// a path.
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

/// Whether one of the lists in this module contains a name from the input.
pub(super) fn is_in(list: &[&str], name: &str) -> bool {
    let plain: String = name
        .chars()
        .filter(|each| !matches!(each, '_' | '-' | ' '))
        .collect::<String>()
        .to_ascii_lowercase();
    list.contains(&plain.as_str())
}
