//! The file of the public agent registry: its agents and how each is distributed. This module does
//! not download or start anything.

mod field;
mod registry_error;

use attache_host::Launch;
use field::Field;
pub use registry_error::RegistryError;
use serde_json::Value;

/// The agents in a registry's `registry.json`, in the order of the file.
///
/// ```
/// let text = r#"{"version": "1.0.0", "agents": [{"id": "x", "name": "X", "version": "1.2.3", "description": "An agent",
///     "distribution": {"npx": {"package": "@y/x@1.2.3", "args": ["--acp"]}}}]}"#;
/// let registry = attache_client::Registry::parse(text)?;
/// let agent = registry.agent("x").ok_or("no x")?;
/// assert_eq!(agent.start("linux-x86_64")?.command_line(), "npx --yes @y/x@1.2.3 --acp");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Registry {
    /// The version of the format, such as `1.0.0`.
    pub version: String,
    /// The agents.
    pub agents: Vec<RegistryAgent>,
}

/// One agent of a registry.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RegistryAgent {
    /// The agent's id in the registry: lower-case letters, digits and hyphens.
    pub id: String,
    /// The name to show to people.
    pub name: String,
    /// The version in the registry.
    pub version: String,
    /// A description for people.
    pub description: String,
    /// The agent's licence, if the registry states it.
    pub license: Option<String>,
    /// The npm package that contains the agent.
    pub npx: Option<RegistryPackage>,
    /// The PyPI package that contains the agent. The package runner uv starts it.
    pub uvx: Option<RegistryPackage>,
    /// The programs to download, by platform such as `linux-x86_64`.
    pub binaries: Vec<(String, RegistryBinary)>,
}

/// A package that a package runner starts.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RegistryPackage {
    /// The package, usually with its version.
    pub package: String,
    /// The program in the package, if its name differs from that of the package.
    pub cmd: Option<String>,
    /// The arguments of the program.
    pub args: Vec<String>,
    /// The environment variables of the program.
    pub env: Vec<(String, String)>,
}

/// A program to download.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RegistryBinary {
    /// The address of the archive, or of the program itself.
    pub archive: String,
    /// The checksum of that file, if the registry states it.
    pub sha256: Option<String>,
    /// The program in the archive, such as `./robot`.
    pub cmd: String,
    /// The arguments of the program.
    pub args: Vec<String>,
    /// The environment variables of the program.
    pub env: Vec<(String, String)>,
}

/// How to start an agent that a registry lists, on the given platform.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RegistryStart {
    /// The program: `npx`, `uvx`, or the name of the program in the archive, to be found in `PATH`.
    pub program: String,
    /// The arguments of the program.
    pub args: Vec<String>,
    /// The environment variables of the program.
    pub env: Vec<(String, String)>,
    /// The program to download first; `None` if a package runner downloads it.
    pub download: Option<RegistryBinary>,
}

impl Registry {
    /// Reads the file. Skips fields and kinds of distribution that this version does not know.
    ///
    /// # Errors
    /// Returns the first error in the file: see [`RegistryError`].
    pub fn parse(text: &str) -> Result<Self, RegistryError> {
        let value: Value = serde_json::from_str(text).map_err(|source| RegistryError::Syntax {
            at: (source.line(), source.column()),
            source,
        })?;
        let file = Field::whole(&value);
        file.object()?;
        let version = file.member("version").text()?;
        let agents =
            file.member("agents").items()?.iter().map(agent).collect::<Result<Vec<_>, _>>()?;
        Ok(Self { version, agents })
    }

    /// Returns the agent with this id.
    pub fn agent(&self, id: &str) -> Option<&RegistryAgent> {
        self.agents.iter().find(|agent| agent.id == id)
    }

    /// Returns the platform of this machine as registries name it, such as `linux-x86_64` or
    /// `darwin-aarch64`.
    pub fn platform() -> String {
        let system = match std::env::consts::OS {
            "macos" => "darwin",
            other => other,
        };
        format!("{system}-{}", std::env::consts::ARCH)
    }
}

impl RegistryAgent {
    /// Returns how to start the agent on a platform (see [`Registry::platform`]): by npx, otherwise
    /// by uvx, otherwise as a program to download.
    ///
    /// # Errors
    /// Returns [`RegistryError::Platform`] if the agent is not distributed for this platform.
    pub fn start(&self, platform: &str) -> Result<RegistryStart, RegistryError> {
        if let Some(package) = &self.npx {
            return Ok(package.start("npx", &["--yes"], "--package"));
        }
        if let Some(package) = &self.uvx {
            return Ok(package.start("uvx", &[], "--from"));
        }
        let binary =
            self.binaries.iter().find(|(known, _)| known == platform).map(|(_, binary)| binary);
        let binary = binary.ok_or_else(|| RegistryError::Platform {
            id: self.id.clone(),
            platform: platform.to_owned(),
            known: self.binaries.iter().map(|(platform, _)| platform.clone()).collect(),
        })?;
        let program = binary.cmd.rsplit(['/', '\\']).next().unwrap_or(&binary.cmd);
        Ok(RegistryStart {
            program: program.to_owned(),
            args: binary.args.clone(),
            env: binary.env.clone(),
            download: Some(binary.clone()),
        })
    }
}

impl RegistryPackage {
    fn start(&self, runner: &str, before: &[&str], naming: &str) -> RegistryStart {
        let mut args: Vec<String> = before.iter().map(|word| (*word).to_owned()).collect();
        match &self.cmd {
            Some(cmd) => args.extend([naming.to_owned(), self.package.clone(), cmd.clone()]),
            None => args.push(self.package.clone()),
        }
        args.extend(self.args.iter().cloned());
        RegistryStart { program: runner.to_owned(), args, env: self.env.clone(), download: None }
    }
}

impl RegistryStart {
    /// The command line, as [`Launch::parse`] reads it.
    pub fn command_line(&self) -> String {
        let launch = Launch::new(&self.program).args(&self.args);
        self.env.iter().fold(launch, |launch, (name, value)| launch.env(name, value)).command_line()
    }
}

fn agent(field: &Field<'_>) -> Result<RegistryAgent, RegistryError> {
    let id = field.member("id");
    let text = id.text()?;
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if !text.starts_with(|c: char| c.is_ascii_lowercase()) || !text.chars().all(plain) {
        return Err(id.fault("a name of lower-case letters, digits and hyphens"));
    }
    let distribution = field.member("distribution");
    distribution.object()?;
    let package =
        |kind: &str| distribution.member(kind).given().map(|field| package(&field)).transpose();
    let (npx, uvx) = (package("npx")?, package("uvx")?);
    let binaries = distribution.member("binary").members()?;
    let binaries = binaries.iter().map(|(platform, field)| Ok((platform.clone(), binary(field)?)));
    let binaries = binaries.collect::<Result<Vec<_>, RegistryError>>()?;
    if npx.is_none() && uvx.is_none() && binaries.is_empty() {
        return Err(distribution.fault("at least one of npx, uvx and binary"));
    }
    Ok(RegistryAgent {
        id: text,
        name: field.member("name").text()?,
        version: field.member("version").text()?,
        description: field.member("description").text()?,
        license: field.member("license").given().map(|license| license.text()).transpose()?,
        npx,
        uvx,
        binaries,
    })
}

fn package(field: &Field<'_>) -> Result<RegistryPackage, RegistryError> {
    field.object()?;
    Ok(RegistryPackage {
        package: field.member("package").word()?,
        cmd: field.member("cmd").given().map(|cmd| cmd.word()).transpose()?,
        args: field.member("args").texts()?,
        env: field.member("env").variables()?,
    })
}

fn binary(field: &Field<'_>) -> Result<RegistryBinary, RegistryError> {
    field.object()?;
    Ok(RegistryBinary {
        archive: field.member("archive").text()?,
        sha256: field.member("sha256").given().map(|sum| sum.text()).transpose()?,
        cmd: field.member("cmd").word()?,
        args: field.member("args").texts()?,
        env: field.member("env").variables()?,
    })
}

#[cfg(test)]
mod tests;
