//! What the service takes when nobody asks anything of it.

use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use anyhow::{Result, ensure};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

use crate::Effort;
use crate::fixture::World;
use crate::http::{self, request};
use crate::report::{Bar, Finding};

const IDLE: u16 = 10_000;
/// Few enough from one address for the limit that production has.
const PER_ADDRESS: u16 = 1_000;

pub(super) fn run(effort: Effort) -> Result<Vec<Finding>> {
    let (mut alone, mut each) = (Vec::new(), Vec::new());
    for _ in 0..effort.rounds.min(3) {
        let world = World::create(1)?;
        let server = world.serve(&[])?;
        let me = request("GET", "/v1/me", &[("x-api-key", &world.anybody()?.api_key)], "");
        // A first request, so that what every service has once is there.
        let mut first = std::net::TcpStream::connect(server.address)?;
        first.write_all(&me)?;
        ensure!(first.read(&mut [0; 4096])? > 0, "no answer");
        let idle = server.resident_kib()?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let held = runtime.block_on(hold(server.address, &me))?;
        let crowded = server.resident_kib()?;
        drop(held);
        alone.push(idle / 1024.0);
        each.push((crowded - idle) / f64::from(IDLE));
    }
    let finding = |measured: &str, values, unit, bar| Finding {
        suite: "memory",
        measured: measured.into(),
        against: "resident memory".into(),
        values,
        unit,
        bar: Bar::AtMost(bar),
        detail: String::new(),
    };
    Ok(vec![
        finding("idle service", alone, "MiB", 60.0),
        finding("an idle connection, of 10,000 that asked once", each, "KiB", 30.0),
    ])
}

/// Connections that have each got one answer and stay open.
async fn hold(address: SocketAddr, ask: &[u8]) -> Result<Vec<TcpStream>> {
    let mut held = Vec::new();
    for number in 0..IDLE {
        let host = u8::try_from(number / PER_ADDRESS)? + 2;
        let socket = TcpSocket::new_v4()?;
        socket.bind(SocketAddr::new(IpAddr::V4(Ipv4Addr::new(127, 0, 0, host)), 0))?;
        let mut stream = socket.connect(address).await?;
        stream.write_all(ask).await?;
        let mut buffer = Vec::with_capacity(2048);
        while http::head(&buffer)?.is_none_or(|head| buffer.len() < head.length) {
            ensure!(stream.read_buf(&mut buffer).await? > 0, "connection {number} was closed");
        }
        held.push(stream);
    }
    Ok(held)
}
