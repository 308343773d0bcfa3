//! HTTP/1.1 as far as a load generator needs it: bytes out, the length and status of an answer in.
//!
//! A full client would cost as much as the servers it measures, on the same cores.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

/// The name that every server under test is called by, whatever port it got.
pub(crate) const HOST: &str = "bench.guildhall.test";

/// A request as it goes over the wire.
pub(crate) fn request(method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Vec<u8> {
    let mut head = format!("{method} {path} HTTP/1.1\r\nhost: {HOST}\r\n");
    for (name, value) in headers.iter().copied() {
        head.extend([name, ": ", value, "\r\n"]);
    }
    if !body.is_empty() {
        head.push_str("content-type: application/json\r\n");
        head.extend(["content-length: ", &body.len().to_string(), "\r\n"]);
    }
    format!("{head}\r\n{body}").into_bytes()
}

/// What is known of an answer once its head is there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Head {
    pub(crate) status: u16,
    /// The length of the head.
    pub(crate) body_at: usize,
    /// The length of head and body.
    pub(crate) length: usize,
}

/// Reads the head of the answer that `bytes` begin with, if it has come in whole.
pub(crate) fn head(bytes: &[u8]) -> Result<Option<Head>> {
    let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else {
        return Ok(None);
    };
    let text = std::str::from_utf8(bytes.get(..end).unwrap_or_default())?;
    let status = text.get(9..12).context("no status")?.parse()?;
    let name = "content-length:";
    let length = text.lines().find_map(|line| {
        let start = line.get(..name.len())?;
        start.eq_ignore_ascii_case(name).then(|| line.get(name.len()..).unwrap_or_default().trim())
    });
    let length: usize = length.context("an answer without a length")?.parse()?;
    let body_at = end + 4;
    Ok(Some(Head { status, body_at, length: body_at + length }))
}

/// An answer, read whole.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    /// The body as JSON, if the status is as expected.
    pub(crate) fn expect(self, status: u16) -> Result<Value> {
        ensure!(self.status == status, "{status} expected, got {}: {}", self.status, self.body);
        Ok(serde_json::from_str(&self.body)?)
    }
}

/// A keep-alive connection for one request after another.
pub(crate) struct Client(TcpStream);

impl Client {
    pub(crate) fn connect(address: SocketAddr) -> Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        Ok(Self(stream))
    }

    pub(crate) fn send(&mut self, request: &[u8]) -> Result<Answer> {
        self.0.write_all(request)?;
        let mut bytes = Vec::with_capacity(4096);
        let mut chunk = [0; 16 * 1024];
        loop {
            if let Some(head) = head(&bytes)?
                && bytes.len() >= head.length
            {
                let body = bytes.split_off(head.body_at);
                let (head_text, body) = (String::from_utf8(bytes)?, String::from_utf8(body)?);
                return Ok(Answer { status: head.status, head: head_text, body });
            }
            let count = self.0.read(&mut chunk)?;
            if count == 0 {
                bail!("the server closed the connection");
            }
            bytes.extend_from_slice(chunk.get(..count).unwrap_or_default());
        }
    }
}

/// The string at a place of a JSON body.
pub(crate) fn text(value: &Value, pointer: &str) -> Result<String> {
    let found = value.pointer(pointer).and_then(Value::as_str);
    Ok(found.with_context(|| format!("no {pointer} in {value}"))?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_as_long_as_its_head_says() {
        let bytes = b"HTTP/1.1 201 Created\r\nContent-Length: 2\r\nx: y\r\n\r\n{}";
        let whole = head(bytes).unwrap().unwrap();
        assert_eq!((whole.status, whole.length), (201, bytes.len()));
        assert_eq!(whole.body_at, bytes.len() - 2);
        assert!(head(&bytes[..30]).unwrap().is_none());
    }

    #[test]
    fn an_answer_without_a_length_is_an_error() {
        assert!(head(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n").is_err());
    }
}
