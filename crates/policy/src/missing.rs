//! Protected names that a sandbox prevents from being created.

use crate::guard::names::{Found, OBEYED, OBEYED_PATHS, OBEYED_SECRETS};

/// Returns the protected names and paths that a sandbox must prevent from being created in a
/// session's folder. `home` says whether that folder is a person's home folder. Names that builds
/// read are left out, because a placeholder would break the builds.
pub fn names_to_hold(home: bool) -> impl Iterator<Item = &'static str> {
    let listed = OBEYED.iter().chain(OBEYED_PATHS);
    let held = listed.filter(move |each| match each.found {
        Found::Project => true,
        Found::Home => home,
        Found::Build | Found::Elsewhere => false,
    });
    held.map(|each| each.name).chain(OBEYED_SECRETS)
}

#[cfg(test)]
mod tests {
    use super::names_to_hold;
    use crate::guard::guard;
    use crate::guard::names::{OBEYED, OBEYED_PATHS, OBEYED_SECRETS};

    #[test]
    fn every_listed_name_is_protected() {
        let listed = OBEYED.iter().chain(OBEYED_PATHS).map(|each| each.name);
        for name in listed.chain(OBEYED_SECRETS) {
            assert!(guard(name).is_some(), "{name}");
        }
    }

    #[test]
    fn fewer_names_are_held_in_a_project_than_in_a_home_folder() {
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
