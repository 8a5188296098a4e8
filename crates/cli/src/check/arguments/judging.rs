//! The arguments that `attache check agent` and `attache check client` share.

use crate::args::value::seconds;
use clap::Args;
use std::path::PathBuf;
use std::time::Duration;

/// How a peer is judged.
#[derive(Debug, Args)]
pub(crate) struct Judging {
    /// Judge only these rules or groups; separate several with commas or repeat the option
    #[arg(long, value_name = "ID|PREFIX", value_delimiter = ',')]
    pub(crate) only: Vec<String>,
    /// The longest wait for a reply; the first reply may take three times as long
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    pub(crate) timeout: Duration,
    /// Run the probes in the order of this seed
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Judge this many times, each with the next seed; a verdict that differs is flaky, and the
    /// worst one counts
    #[arg(long, value_name = "TIMES", default_value_t = 1)]
    pub(crate) repeat: usize,
    /// Print one JSON object per verdict
    #[arg(long)]
    pub(crate) json: bool,
    /// Also write a report, by its extension: .json (for compare), .xml (JUnit), .md (supported
    /// features), .html (with the traffic)
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Vec<PathBuf>,
    /// Fail only if a verdict differs from the known failures in this file
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,
    /// Write the failures to this file as known failures; existing reasons are kept
    #[arg(long, value_name = "FILE", conflicts_with = "baseline")]
    pub(crate) write_baseline: Option<PathBuf>,
}
