//! Counters of processes.

use attache_bench::cpu_s_of;
use std::fs;

/// Returns the process and its descendants.
pub(crate) fn tree(process: u32) -> Vec<u32> {
    let mut all = vec![process];
    let threads = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    for thread in threads {
        let children = fs::read_to_string(thread.path().join("children")).unwrap_or_default();
        all.extend(children.split_whitespace().filter_map(|it| it.parse().ok()).flat_map(tree));
    }
    all
}

/// Returns the CPU time of several processes in seconds.
pub(crate) fn cpu_of(processes: &[u32]) -> f64 {
    processes.iter().map(|process| cpu_s_of(*process)).sum()
}

/// Returns the memory of several processes in MB. A page that several of them share counts once.
pub(crate) fn memory(processes: &[u32]) -> f64 {
    let kilobytes = |process: &u32| -> u64 {
        let file = fs::read_to_string(format!("/proc/{process}/smaps_rollup")).unwrap_or_default();
        let line = file.lines().find(|line| line.starts_with("Pss:"));
        line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok()).unwrap_or(0)
    };
    processes.iter().map(kilobytes).sum::<u64>() as f64 * 1024.0 / 1e6
}
