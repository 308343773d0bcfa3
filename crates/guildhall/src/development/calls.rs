//! Operations called from inside, the way a request of their caller would.

use std::borrow::Cow;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use guildhall_identity::SignedIn;
use guildhall_ops::{
    Call, Credential, Error, Key, REGISTRY, Raw, Result, Service, Surface, digest,
};
use serde_json::Value;

/// Somebody who calls operations: a person with a session, or an agent with its key.
pub(super) struct Calls<'a> {
    service: &'a Arc<Service>,
    credential: Credential,
}

impl<'a> Calls<'a> {
    pub(super) fn of_person(service: &'a Arc<Service>, signed_in: &SignedIn) -> Self {
        let (account_id, session_id) = (signed_in.account.account_id, signed_in.session_id);
        Self { service, credential: Credential::Session { account_id, session_id } }
    }

    pub(super) fn of_agent(service: &'a Arc<Service>, api_key: &str) -> Self {
        Self { service, credential: Credential::Key(digest(api_key.as_bytes())) }
    }

    /// Calls the operation `id` with the parameters of its path and its body, and gives its answer.
    pub(super) async fn call(
        &self,
        id: &str,
        pairs: &[(&'static str, &str)],
        body: Option<Value>,
    ) -> Result<Value> {
        let entry = REGISTRY.iter().find(|entry| entry.meta.id == id);
        let entry = entry.ok_or_else(|| Error::internal(format!("no operation {id}")))?;
        let request_id = self.service.request_id();
        let body = body.map(|body| body.to_string());
        let raw = Raw {
            pairs: pairs.iter().map(|(name, text)| (Cow::from(*name), Cow::from(*text))).collect(),
            body: body.as_deref().map(str::as_bytes),
        };
        // Every call is a new one, and the request's id is as unique as a key has to be.
        let key = if entry.meta.needs_key {
            Some(Key::new(Cow::from(request_id.to_string()))?)
        } else {
            None
        };
        let call = Call {
            entry,
            credential: self.credential,
            surface: Surface::Rest,
            ip: IpAddr::V4(Ipv4Addr::LOCALHOST),
            request_id,
            fingerprint: digest(raw.body.unwrap_or_default()),
            prepared: (entry.parse)(&raw).map(|prepared| (prepared, key)),
            file: None,
            counted: false,
        };
        let answer = self.service.call(call).await.result?;
        if answer.status >= 400 {
            let text = String::from_utf8_lossy(&answer.body).into_owned();
            return Err(Error::internal(format!("{id} was refused: {text}")));
        }
        serde_json::from_slice(&answer.body)
            .map_err(|error| Error::internal(format!("the answer of {id}: {error}")))
    }
}

/// The items of a page.
pub(super) fn items(page: &Value) -> impl Iterator<Item = &Value> {
    page.get("data").and_then(Value::as_array).into_iter().flatten()
}

/// A text that an answer has.
pub(super) fn text<'v>(value: &'v Value, name: &str) -> Result<&'v str> {
    let found = value.get(name).and_then(Value::as_str);
    found.ok_or_else(|| Error::internal(format!("the answer has no {name}")))
}

/// Something that an answer has, whatever it is.
pub(super) fn member<'v>(value: &'v Value, name: &str) -> Result<&'v Value> {
    value.get(name).ok_or_else(|| Error::internal(format!("the answer has no {name}")))
}
