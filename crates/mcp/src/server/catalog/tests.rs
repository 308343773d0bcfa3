//! The list of tools: exactly the designed ones, small, honest, and the same every time.

use guildhall_ops::digest;
use serde_json::{Value, json};

use super::*;

/// Every operation that the design gives a tool name, with that name.
const DESIGNED: [(&str, &str); 47] = [
    ("getMe", "whoami"),
    ("searchAgents", "search_agents"),
    ("listAgentBuyerCommands", "list_commands"),
    ("preflightCommand", "check_spend"),
    ("agentPostTask", "post_task"),
    ("agentSelectQuote", "select_quote"),
    ("agentFundTask", "fund_task"),
    ("agentHireListing", "hire_listing"),
    ("agentAcceptDelivery", "accept_delivery"),
    ("agentRequestChanges", "request_changes"),
    ("agentRejectDelivery", "reject_delivery"),
    ("agentReleaseSelection", "release_selection"),
    ("agentCancelTask", "cancel_task"),
    ("settleCommand", "settle_command"),
    ("listTasks", "list_tasks"),
    ("getTask", "get_task"),
    ("getTaskPreview", "preview_task"),
    ("checkTask", "check_delivery"),
    ("listQuotes", "list_quotes"),
    ("createQuote", "create_quote"),
    ("submitQuote", "submit_quote"),
    ("withdrawQuote", "withdraw_quote"),
    ("checkIn", "check_in"),
    ("listRelayOffers", "list_offers"),
    ("acceptRelayOffer", "accept_offer"),
    ("declineRelayOffer", "decline_offer"),
    ("uploadFile", "upload_file"),
    ("getFile", "read_file"),
    ("createDelivery", "deliver"),
    ("listDeliveries", "list_deliveries"),
    ("getDelivery", "get_delivery"),
    ("surrenderTask", "surrender_task"),
    ("prepareWorkerAction", "prepare_worker_action"),
    ("openDispute", "open_dispute"),
    ("getDispute", "get_dispute"),
    ("addDisputeEvidence", "add_evidence"),
    ("acceptDispute", "accept_dispute"),
    ("listReceipts", "list_receipts"),
    ("getEarnings", "get_earnings"),
    ("withdrawEarnings", "prepare_withdrawal"),
    ("getCredits", "get_credits"),
    ("getAction", "get_action"),
    ("listModels", "list_models"),
    ("createInference", "infer"),
    ("searchListings", "search_listings"),
    ("getListing", "get_listing"),
    ("listNotifications", "read_notifications"),
];

fn everything() -> ScopeSet {
    ScopeSet::WORKING.with(Scope::AgentBuyer)
}

fn listed(scopes: ScopeSet) -> Value {
    serde_json::to_value(Catalog::new().list(scopes)).unwrap()
}

fn names(scopes: ScopeSet) -> Vec<String> {
    let tools = Catalog::new().list(scopes);
    tools.iter().map(|tool| tool.name.to_string()).collect()
}

/// "The tools are the operations that api.md gives a tool name."
#[test]
fn every_designed_tool_is_there_by_its_name_and_no_other() {
    for entry in REGISTRY {
        let designed = DESIGNED.iter().find(|(id, _)| *id == entry.meta.id).map(|(_, name)| *name);
        assert_eq!(entry.meta.tool, designed, "{}", entry.meta.id);
    }
}

/// "Count tokens of tools/list": everything that a grant can hold has to fit into a model's context beside its work.
#[test]
fn the_whole_list_stays_small() {
    let list = listed(everything()).to_string();
    let tokens = list.len() * 10 / 35;
    println!("tools/list: {} bytes, about {tokens} tokens", list.len());
    assert!(list.len() < 40_000, "{} bytes", list.len());
    assert!(tokens < 10_000, "{tokens} tokens");
}

/// "`tools/list` shows only what the live grant admits." "Scope minimisation: default read+worker, never agent-buyer."
#[test]
fn a_grant_lists_what_it_admits() {
    let reads = names(ScopeSet::NONE.with(Scope::Read));
    assert!(reads.contains(&"list_tasks".to_owned()));
    for hidden in ["check_in", "list_offers", "deliver", "post_task", "check_spend"] {
        assert!(!reads.contains(&hidden.to_owned()), "{hidden}");
    }
    let works = names(ScopeSet::WORKING);
    assert!(works.contains(&"list_offers".to_owned()));
    assert!(!works.contains(&"post_task".to_owned()));
    assert!(names(everything()).contains(&"post_task".to_owned()));
    assert_eq!(names(ScopeSet::NONE), [""; 0]);
}

/// "Agent-buyer tools require an `idempotency_key`; other mutating tools take an optional one", and reads none.
#[test]
fn a_key_is_asked_for_where_something_changes() {
    for tool in &Catalog::new().tools {
        let input = Value::Object((*tool.listed.input_schema).clone());
        let takes = input["properties"]["idempotency_key"].is_object();
        let empty = Vec::new();
        let required = input["required"].as_array().unwrap_or(&empty);
        let needs = required.contains(&json!("idempotency_key"));
        let spends = tool.entry.meta.scopes.contains(&Scope::AgentBuyer);
        let name = &tool.listed.name;
        assert_eq!(takes, tool.entry.meta.needs_key, "{name}");
        assert_eq!(needs, tool.entry.meta.needs_key && spends, "{name}");
    }
}

/// "inputSchema JSON Schema 2020-12 object", whole in itself; "outputSchema cut to its top level, without descriptions".
#[test]
fn schemas_are_plain() {
    for tool in listed(everything()).as_array().unwrap() {
        let (name, input, output) = (&tool["name"], &tool["inputSchema"], &tool["outputSchema"]);
        assert_eq!(input["type"], "object", "{name}");
        assert_eq!(input["additionalProperties"], false, "{name}");
        assert!(!input.to_string().contains("$ref"), "{name}: {input}");
        for word in ["anyOf", "oneOf", "allOf"] {
            assert!(input.get(word).is_none(), "{name}: {input}");
        }
        assert_eq!(output["type"], "object", "{name}");
        for (member, kind) in output["properties"].as_object().unwrap() {
            assert_eq!(*kind, json!({}), "{name}.{member}");
        }
        assert!(!output["properties"].as_object().unwrap().is_empty(), "{name}");
    }
}

/// "name 1-128 of [A-Za-z0-9_.-]"; descriptions are one or two terse sentences; hints come from the operation.
#[test]
fn every_tool_says_what_it_is() {
    for tool in listed(everything()).as_array().unwrap() {
        let name = tool["name"].as_str().unwrap();
        assert!(name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_'), "{name}");
        let about = tool["description"].as_str().unwrap();
        assert!((15..=140).contains(&about.len()), "{name}: {about}");
        let hints = &tool["annotations"];
        assert!(hints["title"].is_string() && hints["readOnlyHint"].is_boolean(), "{name}");
        assert_eq!(hints["readOnlyHint"] == false, hints["destructiveHint"].is_boolean(), "{name}");
    }
    let catalog = Catalog::new();
    let hints = |name: &str| catalog.find(name).unwrap().listed.annotations.clone().unwrap();
    assert_eq!(hints("whoami").open_world_hint, Some(false));
    assert_eq!(
        hints("get_task").open_world_hint,
        None,
        "others wrote the brief, which is the default"
    );
    assert_eq!(hints("accept_delivery").destructive_hint, Some(true));
    assert_eq!(hints("check_in").destructive_hint, Some(false));
    assert_eq!(hints("post_task").idempotent_hint, Some(true), "its key makes it so");
}

/// "Static tool list with versioned hash", "deterministic order".
#[test]
fn the_list_is_the_same_every_time() {
    let hash = |list: Value| digest(list.to_string().as_bytes());
    assert_eq!(hash(listed(everything())), hash(listed(everything())));
    let all = names(everything());
    let some = names(ScopeSet::WORKING);
    let kept: Vec<_> = all.iter().filter(|name| some.contains(name)).collect();
    assert!(some.iter().eq(kept), "a smaller grant leaves tools out and moves none");
}
