//! Which protected names a sandbox keeps from being made.

use crate::guard::{Guard, protected_names};

/// Names of [`Guard::Obeyed`] that have a meaning in a person's home folder alone. Paths below
/// `.config` and `.local` belong to them.
const IN_A_HOME: &[&str] = &[
    ".bash_aliases",
    ".bash_login",
    ".bash_logout",
    ".bash_profile",
    ".bashrc",
    ".bashrc.d",
    ".copilot",
    ".cshrc",
    ".curlrc",
    ".direnvrc",
    ".emacs",
    ".emacs.d",
    ".gitconfig",
    ".gvimrc",
    ".hgrc",
    ".huskyrc",
    ".ideavimrc",
    ".inputrc",
    ".ipython",
    ".jjconfig.toml",
    ".kshrc",
    ".lldbinit",
    ".login",
    ".mkshrc",
    ".npm-init.js",
    ".nvim",
    ".pam_environment",
    ".profile",
    ".psqlrc",
    ".screenrc",
    ".shrc",
    ".sqliterc",
    ".tcshrc",
    ".tmux.conf",
    ".vim",
    ".wgetrc",
    ".xinitrc",
    ".xprofile",
    ".xsession",
    ".xsessionrc",
    ".zlogin",
    ".zlogout",
    ".zprofile",
    ".zshenv",
    ".zshrc",
];

/// Where the paths begin that have a meaning in a person's home folder alone.
const FOLDERS_OF_A_HOME: [&str; 3] = [".config/", ".local/", "Library/"];

/// Names of files that builds read, and that fail if there is a folder instead. A sandbox does not
/// put a placeholder there.
const READ_BY_BUILDS: &[&str] = &[
    ".bazelrc",
    ".gitmodules",
    ".irbrc",
    ".lintstagedrc",
    ".lintstagedrc.json",
    ".mise.local.toml",
    ".pnpmfile.cjs",
    ".pryrc",
    ".rprofile",
    ".rtx.toml",
    ".rvmrc",
    ".tool-versions",
    ".yarnrc",
    ".yarnrc.yml",
    "mise.local.toml",
    "mise.toml",
];

/// Names that have a meaning in another folder than a project's own, or are another spelling.
const ELSEWHERE: &[&str] = &["copilot-instructions.md", "git~1", "permissions.toml"];

/// Names of secrets that programs obey as well.
const OBEYED_SECRETS: [&str; 2] = [".envrc", ".envrc.local"];

/// The names and paths of files and folders that programs obey, which a sandbox is to keep from
/// being made in a session's folder. `home` says whether that folder is a person's home. A few
/// names of files that builds read are left out, as a placeholder would break the builds.
pub fn names_to_hold(home: bool) -> impl Iterator<Item = &'static str> {
    let of_a_home = |name: &str| {
        IN_A_HOME.contains(&name) || FOLDERS_OF_A_HOME.iter().any(|folder| name.starts_with(folder))
    };
    let held = move |name: &&str| {
        !READ_BY_BUILDS.contains(name) && !ELSEWHERE.contains(name) && (home || !of_a_home(name))
    };
    protected_names(Guard::Obeyed).chain(OBEYED_SECRETS).filter(held)
}

#[cfg(test)]
mod tests {
    use super::{ELSEWHERE, IN_A_HOME, OBEYED_SECRETS, READ_BY_BUILDS, names_to_hold};
    use crate::guard::guard;

    #[test]
    fn every_name_that_is_left_out_is_protected() {
        for name in [IN_A_HOME, ELSEWHERE, READ_BY_BUILDS, &OBEYED_SECRETS].concat() {
            assert!(guard(name).is_some(), "{name}");
        }
    }

    #[test]
    fn a_project_is_held_by_fewer_names_than_a_home() {
        let project: Vec<&str> = names_to_hold(false).collect();
        for name in [
            ".git",
            ".claude",
            ".vscode",
            ".envrc",
            ".github/workflows",
            "AGENTS.md",
            ".husky",
            ".cargo",
            ".mise.toml",
            ".pre-commit-config.yaml",
            ".envrc.local",
        ] {
            assert!(project.contains(&name), "{name}");
        }
        assert!(!project.contains(&".bashrc") && !project.contains(&".config/systemd"));
        let home: Vec<&str> = names_to_hold(true).collect();
        assert!(
            project.iter().all(|name| home.contains(name)) && home.contains(&".config/systemd")
        );
        assert!(!home.contains(&"mise.toml"));
    }
}
