//! The agent's own tasks, offers and receipts as resources. Each is read by its operation, as the agent that asks.

use guildhall_ops::{Entry, REGISTRY};
use rmcp::ErrorData;
use rmcp::model::{
    ListResourcesResult, ReadResourceResult, Resource, ResourceContents, ResourceTemplate,
};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::House;
use super::outcome::Outcome;
use super::visible::shown;
use super::visitor::Visitor;

const SCHEME: &str = "guildhall://";
const JSON: &str = "application/json";

/// A kind of resource: its name in addresses, who lists it with what, the member with its id, and who reads it by which.
struct Kind {
    name: &'static str,
    about: &'static str,
    list: &'static str,
    mine: bool,
    id: &'static str,
    get: &'static str,
    parameter: &'static str,
}

const KINDS: [Kind; 3] = [
    Kind {
        name: "tasks",
        about: "A task that the agent buys or works on.",
        list: "listTasks",
        mine: true,
        id: "id",
        get: "getTask",
        parameter: "task_id",
    },
    Kind {
        name: "offers",
        about: "An offer of work to the agent.",
        list: "listRelayOffers",
        mine: false,
        id: "offer_id",
        get: "getRelayOffer",
        parameter: "offer_id",
    },
    Kind {
        name: "receipts",
        about: "A signed receipt of paid work.",
        list: "listReceipts",
        mine: false,
        id: "receipt_id",
        get: "getReceipt",
        parameter: "receipt_id",
    },
];

/// What addresses there are.
pub(crate) fn templates() -> Vec<ResourceTemplate> {
    let templates = KINDS.iter().map(|kind| {
        let Kind { name, parameter, about, .. } = kind;
        ResourceTemplate::new(format!("{SCHEME}{name}/{{{parameter}}}"), *name)
            .with_description(*about)
            .with_mime_type(JSON)
    });
    templates.collect()
}

/// One page: of the tasks, then of the offers, then of the receipts. Nobody's text is in it, only ids.
pub(crate) async fn list(
    house: &House,
    visitor: &Visitor,
    cursor: Option<&str>,
) -> Result<ListResourcesResult, ErrorData> {
    let (name, cursor) =
        cursor.and_then(|cursor| cursor.split_once(':')).unwrap_or((cursor.unwrap_or("tasks"), ""));
    let place = KINDS.iter().position(|kind| kind.name == name);
    let unknown = || ErrorData::invalid_params("The cursor is not one of this list.", None);
    let (place, kind) =
        place.and_then(|at| KINDS.get(at).map(|kind| (at, kind))).ok_or_else(unknown)?;
    let mut arguments = Map::new();
    if kind.mine {
        arguments.insert("mine".to_owned(), true.into());
    }
    if !cursor.is_empty() {
        arguments.insert("cursor".to_owned(), cursor.into());
    }
    let outcome = house.ask(entry(kind.list)?, &arguments.into(), visitor).await;
    // Of what the grant does not admit there is nothing to list; anything else that is refused is the cursor's fault.
    if outcome.refused && !cursor.is_empty() {
        return Err(refused(&outcome));
    }
    let page: Page = serde_json::from_slice(&outcome.body).unwrap_or_default();
    let next = page.next_page.map(|next| format!("{}:{next}", kind.name));
    let next = next.or_else(|| KINDS.get(place + 1).map(|kind| format!("{}:", kind.name)));
    let resources = page.data.iter().filter_map(|item| {
        let id = item.get(kind.id)?.as_str()?;
        let address = format!("{SCHEME}{}/{id}", kind.name);
        Some(Resource::new(address, id).with_description(kind.about).with_mime_type(JSON))
    });
    let mut result = ListResourcesResult::with_all_items(resources.collect());
    result.next_cursor = next;
    Ok(result)
}

/// One resource.
pub(crate) async fn read(
    house: &House,
    visitor: &Visitor,
    address: &str,
) -> Result<ReadResourceResult, ErrorData> {
    let absent = || {
        let data = json!({ "uri": address });
        ErrorData::resource_not_found("There is no such resource.", Some(data))
    };
    let path = address.strip_prefix(SCHEME).and_then(|path| path.split_once('/'));
    let (name, id) = path.ok_or_else(absent)?;
    let kind = KINDS.iter().find(|kind| kind.name == name).ok_or_else(absent)?;
    let outcome = house.ask(entry(kind.get)?, &json!({ kind.parameter: id }), visitor).await;
    if outcome.refused {
        let code = Envelope::of(&outcome).error.code;
        let missing = ["not_found", "invalid_request"].contains(&code.as_str());
        return Err(if missing { absent() } else { refused(&outcome) });
    }
    let json = String::from_utf8_lossy(&outcome.body);
    let contents = ResourceContents::text(shown(&json), address).with_mime_type(JSON);
    Ok(ReadResourceResult::new(vec![contents]))
}

/// The operation with this id.
pub(super) fn entry(id: &str) -> Result<&'static Entry, ErrorData> {
    let entry = REGISTRY.iter().find(|entry| entry.meta.id == id);
    entry.ok_or_else(|| ErrorData::internal_error("An operation is missing.", None))
}

/// A refusal of the contract, where the protocol has no place for its envelope.
fn refused(outcome: &Outcome) -> ErrorData {
    let reason = Envelope::of(outcome).error.reason;
    ErrorData::invalid_params(reason, serde_json::from_slice(&outcome.body).ok())
}

/// A page of any list; a refusal is an empty one.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Page {
    data: Vec<Value>,
    next_page: Option<String>,
}

/// What is read of the contract's envelope.
#[derive(Default, Deserialize)]
struct Envelope {
    error: Refusal,
}

#[derive(Default, Deserialize)]
struct Refusal {
    code: String,
    reason: String,
}

impl Envelope {
    fn of(outcome: &Outcome) -> Self {
        serde_json::from_slice(&outcome.body).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_its_operations() {
        for kind in &KINDS {
            assert!(entry(kind.list).is_ok(), "{}", kind.list);
            let get = entry(kind.get).unwrap();
            assert!(get.meta.path_parameters().eq([kind.parameter]), "{}", kind.get);
        }
    }
}
