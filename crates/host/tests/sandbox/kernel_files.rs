//! Files that change settings of the kernel. They are only opened, never written.

use super::{Place, sandboxes};
use std::fs;
use std::path::PathBuf;

/// The kernel's files below these folders, a few hundred from each.
fn files() -> Vec<PathBuf> {
    let mut found = vec![
        PathBuf::from("/proc/sys/kernel/core_pattern"),
        PathBuf::from("/proc/sys/kernel/modprobe"),
        PathBuf::from("/proc/sysrq-trigger"),
    ];
    for folder in [
        "/proc/sys/kernel",
        "/proc/sys/vm",
        "/proc/sys/net/ipv4",
        "/proc/sys/fs",
        "/proc/irq",
        "/proc/bus",
        "/proc/acpi",
        "/proc/fs",
    ] {
        let mut folders = vec![PathBuf::from(folder)];
        let end = found.len() + 300;
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
                match entry.file_type() {
                    Ok(kind) if kind.is_dir() => folders.push(entry.path()),
                    Ok(kind) if kind.is_file() && found.len() < end => found.push(entry.path()),
                    _ => {}
                }
            }
        }
    }
    found
}

/// A script that names each file that can be opened for writing. It writes nothing.
fn script(files: &[PathBuf]) -> String {
    let files: Vec<String> = files.iter().map(|file| format!("'{}'", file.display())).collect();
    format!("for f in {}; do (: 3>>\"$f\") 2>/dev/null && echo \"$f\"; done; true", files.join(" "))
}

#[tokio::test]
async fn no_setting_of_the_kernel_can_be_opened_for_writing() {
    let files: Vec<PathBuf> = files().into_iter().filter(|file| file.exists()).collect();
    assert!(files.len() > 100, "{files:?}");
    for sandbox in sandboxes().await {
        let (_, said) = Place::new().run(&sandbox, &script(&files)).await;
        assert_eq!(said, "", "{}", sandbox.name());
    }
}

#[tokio::test]
async fn a_session_in_the_root_of_the_disk_cannot_change_settings_of_the_kernel() {
    let files: Vec<PathBuf> = files().into_iter().filter(|file| file.exists()).collect();
    for sandbox in sandboxes().await {
        let mut place = Place::new();
        place.bounds.writable = vec![PathBuf::from("/")];
        place.bounds.read_only.clear();
        let more = "; for f in /dev/vd? /dev/sd? /dev/nvme*n1 /dev/mem /dev/kmsg /sys/power/state /sys/kernel/mm/transparent_hugepage/enabled; do
            test -e \"$f\" && (: 3>>\"$f\") 2>/dev/null && echo \"$f\"; done; true";
        let (_, said) = place.run(&sandbox, &(script(&files) + more)).await;
        assert_eq!(said, "", "{}", sandbox.name());
        place.bounds.read_only = std::mem::take(&mut place.bounds.writable);
        let (_, said) = place.run(&sandbox, &(script(&files) + more)).await;
        assert_eq!(said, "", "{}: where it only reads", sandbox.name());
    }
}

#[tokio::test]
async fn disks_terminals_and_memory_of_processes_cannot_be_opened() {
    for sandbox in sandboxes().await {
        let place = Place::new();
        let terminal = place.inside(&sandbox, attache_host::Launch::shell("sleep 1000"));
        let terminal = terminal.run_in_terminal(10, 20).unwrap();
        let ours = std::process::id();
        let own = format!("/proc/{ours}");
        let mut paths: Vec<String> = ["mem", "environ", "maps", "fd/0", "root/etc/passwd"]
            .map(|name| format!("{own}/{name}"))
            .into();
        let devices = fs::read_dir("/dev")
            .unwrap()
            .flatten()
            .chain(fs::read_dir("/dev/pts").unwrap().flatten());
        let harmless = ["null", "zero", "full", "random", "urandom", "tty", "ptmx"];
        let devices =
            devices.filter(|entry| !harmless.contains(&entry.file_name().to_str().unwrap()));
        let devices = devices.filter(|entry| {
            entry.file_type().is_ok_and(|kind| !kind.is_dir() && !kind.is_symlink())
        });
        paths.extend(devices.map(|entry| entry.path().display().to_string()));
        let script: String = paths
            .iter()
            .map(|path| format!("(: 3<'{path}') 2>/dev/null && echo 'read {path}'; test -e '{path}' && (: 3>>'{path}') 2>/dev/null && echo 'write {path}'\n"))
            .collect();
        let (_, said) = place.run(&sandbox, &script).await;
        assert_eq!(said, "", "{}", sandbox.name());
        drop(terminal);
    }
}
