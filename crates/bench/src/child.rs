//! A server under test: a process of its own, so that its memory and processor time are its own.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child as Process, Command, Stdio};

use anyhow::{Context, Result};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Lets this process, and those it starts, open as many files as the machine allows.
pub(crate) fn raise_descriptor_limit() -> Result<()> {
    let maximum = getrlimit(Resource::Nofile).maximum;
    Ok(setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum })?)
}

/// A running server. It ends when this is dropped, because its standard input does.
pub(crate) struct Child {
    process: Process,
    pub(crate) address: SocketAddr,
}

impl Child {
    /// Starts this program again as one side of a ratio, and waits until it is ready.
    pub(crate) fn start(side: &[&str]) -> Result<Self> {
        let mut process = Command::new(std::env::current_exe()?)
            .arg("serve")
            .args(side)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let output = process.stdout.take().context("no output")?;
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line)?;
        let address = line.trim().parse().with_context(|| format!("not ready: {line:?}"))?;
        Ok(Self { process, address })
    }

    /// Processor seconds so far, user and system.
    pub(crate) fn cpu_seconds(&self) -> Result<f64> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.process.id()))?;
        // The name in parentheses may contain anything; utime and stime are the 12th and 13th field after it.
        let (_, rest) = stat.rsplit_once(')').context("no name in stat")?;
        let fields = rest.split_whitespace().skip(11).take(2);
        let ticks: u64 = fields.map(|field| field.parse::<u64>().unwrap_or(0)).sum();
        #[expect(clippy::cast_precision_loss, reason = "far fewer than 2^52 ticks")]
        Ok(ticks as f64 / rustix::param::clock_ticks_per_second() as f64)
    }

    /// Memory that is there now, in KiB.
    pub(crate) fn resident_kib(&self) -> Result<f64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.process.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let number = line.and_then(|line| line.split_whitespace().next()).context("no VmRSS")?;
        Ok(number.parse()?)
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        // A server that does not end would keep the bench waiting: that is seen, and is a fault to look into.
        let _ = self.process.wait();
    }
}
