//! The arguments of a tool, read into a call of its operation just as a REST request is.

use std::borrow::Cow;
use std::fmt;

use base64::Engine;
use base64::prelude::BASE64_STANDARD as BASE64;
use bytes::Bytes;
use guildhall_core::canonical::hex;
use guildhall_ops::{
    Asked, Body, Call, Entry, Error, Key, Meta, Prepared, Raw, Result, Surface, digest,
};
use serde::de::{MapAccess, Visitor as Reader};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::catalog::KeyRule;
use super::visitor::Visitor;

/// Reads a call. What is wrong with its shape goes along, to be answered in its turn.
pub(crate) fn read(
    (entry, rule): (&'static Entry, KeyRule),
    arguments: Option<&RawValue>,
    visitor: &Visitor,
    counted: bool,
) -> Call {
    let (prepared, fingerprint, file) = match shape((entry, rule), arguments, visitor) {
        Ok(Shape { prepared, key, fingerprint, file }) => (Ok((prepared, key)), fingerprint, file),
        Err(error) => (Err(error), [0; 32], None),
    };
    let Visitor { credential, ip, request_id, .. } = *visitor;
    let surface = Surface::Mcp;
    Call { entry, credential, surface, ip, request_id, prepared, fingerprint, file, counted }
}

struct Shape {
    prepared: Prepared,
    key: Option<Key>,
    fingerprint: [u8; 32],
    file: Option<(String, Bytes)>,
}

fn shape(
    (entry, rule): (&Entry, KeyRule),
    arguments: Option<&RawValue>,
    visitor: &Visitor,
) -> Result<Shape> {
    let version = visitor.version.clone()?;
    let mut members = Members::read(arguments)?;
    let key = take_key(&mut members, rule)?;
    let meta = &entry.meta;
    let file = if meta.body == Body::File { Some(take_file(&mut members)?) } else { None };
    let pairs = file.as_ref().map(File::facts).unwrap_or_default();
    let body = members.object(|_| true);
    let prepared = (entry.parse)(&Raw { pairs, body: Some(&body) })?;
    let file = file.map(|file| (file.sha256, file.content));
    let fingerprint = match rule {
        KeyRule::None => [0; 32],
        _ => members.asked(meta, version, file.as_ref()),
    };
    Ok(Shape { prepared, key, fingerprint, file })
}

fn take_key(members: &mut Members<'_>, rule: KeyRule) -> Result<Option<Key>> {
    if rule == KeyRule::None {
        return Ok(None);
    }
    match members.take_text("idempotency_key")? {
        Some(text) => {
            let key = Key::new(text.into());
            key.map(Some).map_err(|_| {
                Error::invalid("idempotency_key: must be 1 to 255 visible ASCII characters.")
                    .suggest("Send a random UUID as idempotency_key.")
            })
        }
        None if rule == KeyRule::Required => {
            let reason = "idempotency_key: a tool that spends is never called without one.";
            Err(Error::invalid(reason)
                .suggest("Send a random UUID as idempotency_key, and the same one when you retry."))
        }
        None => Ok(None),
    }
}

/// A file that came among the arguments.
struct File {
    content: Bytes,
    sha256: String,
    media_type: String,
}

impl File {
    fn facts(&self) -> Vec<(Cow<'_, str>, Cow<'_, str>)> {
        vec![
            ("media_type".into(), self.media_type.as_str().into()),
            ("size".into(), self.content.len().to_string().into()),
            ("sha256".into(), self.sha256.as_str().into()),
        ]
    }
}

fn take_file(members: &mut Members<'_>) -> Result<File> {
    let encoded = members.take_text("content_base64")?;
    let encoded = encoded.ok_or_else(|| {
        Error::invalid("content_base64: is missing.").suggest("Send the file's bytes in base64.")
    })?;
    let content = BASE64.decode(encoded).map_err(|_| {
        Error::invalid("content_base64: is not base64.")
            .suggest("Send the file's bytes in base64, padded, without line breaks.")
    })?;
    let media_type = members.take_text("media_type")?;
    let sha256 = hex(&digest(&content));
    if members.take_text("sha256")?.is_some_and(|said| said != sha256) {
        let reason = format!("sha256: the SHA-256 of what has arrived is {sha256}.");
        return Err(Error::invalid(reason)
            .suggest("Send the file again, with the digest of exactly these bytes."));
    }
    let media_type = media_type.unwrap_or_else(|| "application/octet-stream".to_owned());
    Ok(File { content: content.into(), sha256, media_type })
}

/// The members of the arguments in their order, as they were written.
#[derive(Default)]
struct Members<'a>(Vec<(String, &'a RawValue)>);

impl<'a> Members<'a> {
    fn read(arguments: Option<&'a RawValue>) -> Result<Self> {
        let Some(arguments) = arguments else { return Ok(Self::default()) };
        serde_json::from_str(arguments.get())
            .map_err(|_| Error::invalid("arguments: must be an object."))
    }

    /// Takes out a member that has to be a text.
    fn take_text(&mut self, name: &str) -> Result<Option<String>> {
        let Some(place) = self.0.iter().position(|(found, _)| found == name) else {
            return Ok(None);
        };
        let (_, value) = self.0.remove(place);
        let text = serde_json::from_str(value.get());
        text.map(Some).map_err(|_| {
            Error::invalid(format!("{name}: must be a text."))
                .suggest(format!("Correct `{name}`: it is a text."))
        })
    }

    /// Some of the members as one object.
    fn object(&self, wanted: impl Fn(&str) -> bool) -> Vec<u8> {
        let mut object = Vec::with_capacity(64);
        object.push(b'{');
        for (name, value) in self.0.iter().filter(|(name, _)| wanted(name)) {
            if object.len() > 1 {
                object.push(b',');
            }
            // A text is always written.
            object.extend(serde_json::to_vec(name).unwrap_or_default());
            object.push(b':');
            object.extend_from_slice(value.get().as_bytes());
        }
        object.push(b'}');
        object
    }

    /// The fingerprint that the same request would have over REST, from a client that writes JSON without spaces.
    fn asked(&self, meta: &Meta, version: &str, file: Option<&(String, Bytes)>) -> [u8; 32] {
        let path: Vec<_> = meta.path_parameters().collect();
        let rest = |name: &str| !path.contains(&name);
        let value = |name: &str| self.0.iter().find(|(found, _)| found == name);
        let in_path = path.iter().map(|name| value(name).map_or("".into(), |(_, raw)| plain(raw)));
        let in_query = self.0.iter().filter(|(name, _)| meta.takes_query() && rest(name));
        let body = if meta.takes_query() { Vec::new() } else { self.object(rest) };
        let asked = Asked {
            path: in_path.collect(),
            query: in_query.map(|(name, raw)| (name.as_str().into(), plain(raw))).collect(),
            version,
            body: &body,
            file: file.map(|(sha256, _)| sha256.as_str()),
        };
        asked.fingerprint(meta)
    }
}

/// A value as a path or a query would have it.
fn plain(raw: &RawValue) -> Cow<'_, str> {
    serde_json::from_str(raw.get()).map_or(Cow::Borrowed(raw.get()), Cow::Owned)
}

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;
        impl<'de> Reader<'de> for Object {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
                let mut members = Vec::with_capacity(map.size_hint().unwrap_or(4));
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Object)
    }
}
