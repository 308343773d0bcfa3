//! What the process takes of its machine.

use std::fs;
use std::time::Duration;

use metrics::{Unit, describe_gauge, gauge};

const MEMORY: &str = "process_resident_memory_bytes";
const DESCRIPTORS: &str = "process_open_fds";
const UPTIME: &str = "guildhall_uptime_seconds";
const BUILD: &str = "guildhall_build_info";

pub(super) fn describe() {
    describe_gauge!(MEMORY, Unit::Bytes, "Memory of the process that is in RAM.");
    describe_gauge!(DESCRIPTORS, Unit::Count, "Open files and sockets of the process.");
    describe_gauge!(UPTIME, Unit::Seconds, "How long the process has been running.");
    describe_gauge!(BUILD, Unit::Count, "Always one; its labels say what is running.");
}

/// Reads the numbers anew; one that the system does not tell is left out.
pub(super) fn record(uptime: Duration) {
    if let Some(bytes) = resident_bytes() {
        gauge!(MEMORY).set(as_float(bytes));
    }
    if let Ok(entries) = fs::read_dir("/proc/self/fd") {
        gauge!(DESCRIPTORS).set(as_float(entries.count() as u64));
    }
    gauge!(UPTIME).set(uptime.as_secs_f64());
    gauge!(BUILD, "version" => env!("CARGO_PKG_VERSION")).set(1.0);
}

fn resident_bytes() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

#[expect(clippy::cast_precision_loss, reason = "a gauge is a float, exact to eight pebibytes")]
fn as_float(number: u64) -> f64 {
    number as f64
}
