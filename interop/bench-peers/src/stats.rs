//! `_bench/stats`: the agent's counters, which the client requests before and after its work.

use agent_client_protocol::{JsonRpcRequest, JsonRpcResponse};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{allocation, process};

/// The request, without parameters.
#[derive(Debug, Clone, Serialize, Deserialize, JsonRpcRequest)]
#[request(method = "_bench/stats", response = Stats)]
pub struct StatsRequest {}

/// Counters since the agent's start. The counters of allocations are zero if the agent does not
/// count allocations.
#[derive(Debug, Clone, Serialize, Deserialize, JsonRpcResponse)]
pub struct Stats {
    pub user_us: u64,
    pub sys_us: u64,
    pub rss_kb: u64,
    pub peak_rss_kb: u64,
    pub allocs: u64,
    pub alloc_bytes: u64,
}

impl Stats {
    /// Returns the counters of this process.
    pub fn now() -> Self {
        let (usage, (allocs, alloc_bytes)) = (process::usage(), allocation::so_far());
        let (rss_kb, peak_rss_kb) = (process::rss_kb(), process::peak_rss_kb());
        Self {
            user_us: usage.user_us,
            sys_us: usage.sys_us,
            rss_kb,
            peak_rss_kb,
            allocs,
            alloc_bytes,
        }
    }

    /// Adds the agent's cost per item since `before` to `report`, for `items` items.
    pub fn add_since(&self, before: &Self, items: usize, report: &mut Value) {
        let items = items as f64;
        let cpu = (self.user_us + self.sys_us) - (before.user_us + before.sys_us);
        report["agent_cpu_us_per_item"] = json!(cpu as f64 / items);
        report["agent_allocs_per_item"] = json!((self.allocs - before.allocs) as f64 / items);
        report["agent_alloc_bytes_per_item"] =
            json!((self.alloc_bytes - before.alloc_bytes) as f64 / items);
        report["agent_peak_rss_kb"] = json!(self.peak_rss_kb);
    }
}
