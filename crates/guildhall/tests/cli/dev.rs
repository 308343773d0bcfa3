//! `guildhall dev`: what it says when it is ready, and the demo data behind it.

use std::os::unix::fs::PermissionsExt as _;

use serde_json::Value;

use crate::support::{Dev, client, me, run, send, sign_in};

/// The wallet of a private key as it is told.
fn wallet(private_key: &str) -> testkit::Wallet {
    let digits = private_key.strip_prefix("0x").unwrap();
    assert_eq!(digits.len(), 64);
    let byte = |place: usize| u8::from_str_radix(&digits[2 * place..][..2], 16).unwrap();
    testkit::Wallet::of_key(std::array::from_fn(byte))
}

/// Reads something as one of the demo's people.
async fn get_as(dev: &Dev, person: usize, path: &str) -> Value {
    let account = &dev.ready["accounts"][person];
    let text = |name: &str| account[name].as_str().unwrap();
    let token = sign_in(&dev.base_url(), text("email"), text("password")).await;
    let request = client().get(dev.base_url() + path).bearer_auth(token);
    send(request).await.expect(200)
}

fn data(page: &Value) -> &[Value] {
    page["data"].as_array().unwrap()
}

/// "`--print json` writes one line to stdout when ready: `{"ready": true, "base_url", "auth_url", "mcp_url", …}`"
#[tokio::test]
async fn the_line_has_exactly_the_promised_members() {
    let folder = tempfile::tempdir().unwrap();
    let dev = Dev::start(folder.path(), &[]);
    let base = dev.base_url();
    let names = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    let top = ["ready", "base_url", "auth_url", "mcp_url", "accounts", "agents", "chain"];
    assert_eq!(names(&dev.ready), top);
    assert_eq!(dev.ready["ready"], true);
    assert_eq!(dev.ready["auth_url"], base);
    assert_eq!(dev.ready["mcp_url"], format!("{base}/mcp"));
    assert_eq!(dev.ready["chain"], Value::Null);
    let accounts = dev.ready["accounts"].as_array().unwrap();
    let roles: Vec<&Value> = accounts.iter().map(|account| &account["role"]).collect();
    assert_eq!(roles, ["buyer", "owner", "arbiter"]);
    for account in accounts {
        let members = ["role", "email", "password", "account_id", "wallet_private_key"];
        assert_eq!(names(account), members);
        let text = |name: &str| account[name].as_str().unwrap();
        let token = sign_in(&base, text("email"), text("password")).await;
        assert_eq!(me(&base, &token).await.expect(200)["account_id"], account["account_id"]);
        let wallet = wallet(text("wallet_private_key"));
        let linked = send(client().get(format!("{base}/v1/wallets")).bearer_auth(&token)).await;
        assert_eq!(linked.expect(200)["data"][0]["address"], wallet.address().to_string());
    }
    let agents = dev.ready["agents"].as_array().unwrap();
    assert!(agents.len() >= 5);
    let emails: Vec<&Value> = accounts.iter().map(|account| &account["email"]).collect();
    for agent in agents {
        let members = ["agent_id", "name", "owner_email", "connection_id", "api_key"];
        assert_eq!(names(agent), members);
        assert!(emails.contains(&&agent["owner_email"]), "{agent}");
        let seen = dev.me(agent["api_key"].as_str().unwrap()).await.expect(200);
        assert_eq!((&seen["agent_id"], &seen["name"]), (&agent["agent_id"], &agent["name"]));
        assert_eq!(seen["connection"]["connection_id"], agent["connection_id"]);
    }
}

/// "everything embedded, demo data": a published agent, one that may spend, and a hosted one with a version.
#[tokio::test]
async fn the_demo_shows_what_there_is() {
    let folder = tempfile::tempdir().unwrap();
    let dev = Dev::start(folder.path(), &[]);
    let base = dev.base_url();
    let owner = &dev.ready["accounts"][1];
    let text = |name: &str| owner[name].as_str().unwrap();
    let token = sign_in(&base, text("email"), text("password")).await;
    let get = |path: String| {
        let request = client().get(format!("{base}{path}")).bearer_auth(&token);
        async move { send(request).await.expect(200) }
    };
    let agents = get("/v1/me/agents".to_owned()).await;
    let agents = agents["data"].as_array().unwrap();
    assert!(agents.iter().any(|agent| agent["visibility"] == "published"), "{agents:?}");
    assert!(agents.iter().all(|agent| !agent["skills"].as_array().unwrap().is_empty()));
    let hosted = agents.iter().find(|agent| agent["hosted"] == true).unwrap();
    let hosted_id = hosted["agent_id"].as_str().unwrap();
    let versions = get(format!("/v1/me/agents/{hosted_id}/hosted/versions")).await;
    assert_eq!(versions["data"][0]["version"], 1);
    let spender = dev.me(&dev.api_key(1)).await.expect(200);
    assert_eq!(spender["spend_policy"]["status"], "active");
    let scopes = spender["scopes"].as_array().unwrap();
    assert!(scopes.contains(&Value::from("agent-buyer")));
}

/// Keys are shown once by the service; a development instance shows the same ones at every start, and begins anew when
/// it is told to.
#[tokio::test]
async fn accounts_and_keys_are_the_same_after_a_restart_and_others_after_fresh() {
    let folder = tempfile::tempdir().unwrap();
    let first = Dev::start(folder.path(), &[]);
    let told = first.ready.clone();
    assert_eq!(first.stop(), 0);
    let second = Dev::start(folder.path(), &[]);
    assert_eq!(second.ready["accounts"], told["accounts"]);
    assert_eq!(second.ready["agents"], told["agents"]);
    second.me(&second.api_key(0)).await.expect(200);
    assert_eq!(second.stop(), 0);

    let fresh = Dev::start(folder.path(), &["--fresh"]);
    assert_ne!(fresh.ready["agents"], told["agents"]);
    fresh.me(told["agents"][0]["api_key"].as_str().unwrap()).await.expect(401);
    fresh.me(&fresh.api_key(0)).await.expect(200);
}

/// What the folder remembers of another database is not told of this one.
#[tokio::test]
async fn a_folder_that_changes_its_database_tells_keys_that_work() {
    let folder = tempfile::tempdir().unwrap();
    let own = Dev::start(folder.path(), &[]);
    let told = own.ready["agents"].clone();
    assert_eq!(own.stop(), 0);
    let elsewhere = format!("sqlite:{}", folder.path().join("other.db").display());
    let other = Dev::start(folder.path(), &["--database-url", &elsewhere]);
    assert_ne!(other.ready["agents"], told);
    other.me(&other.api_key(0)).await.expect(200);
    let there = other.ready["agents"].clone();
    assert_eq!(other.stop(), 0);
    let own = Dev::start(folder.path(), &[]);
    own.me(&own.api_key(0)).await.expect(200);
    let ids = |agents: &Value| [0, 1].map(|place| agents[place]["agent_id"].clone());
    assert_eq!(ids(&own.ready["agents"]), ids(&told), "the agents are found, not made again");
    assert_eq!(own.stop(), 0);
    // A database elsewhere is not this program's to empty, so its people and agents stay.
    let other = Dev::start(folder.path(), &["--database-url", &elsewhere, "--fresh"]);
    assert_eq!(ids(&other.ready["agents"]), ids(&there));
    other.me(&other.api_key(0)).await.expect(200);
}

/// Other users of the machine have no business in the data.
#[test]
fn what_is_made_in_the_folder_is_its_owners_alone() {
    let folder = tempfile::tempdir().unwrap();
    let dev = Dev::start(folder.path(), &[]);
    for name in ["guildhall.db", "guildhall.db-wal", "secret.key", "demo.json", "lock"] {
        let made = std::fs::metadata(folder.path().join(".guildhall").join(name)).unwrap();
        assert_eq!(made.permissions().mode() & 0o777, 0o600, "{name}");
    }
    assert_eq!(dev.stop(), 0);
}

/// "`guildhall openapi`: operator's tools": it prints the committed document.
#[test]
fn the_printed_document_is_the_committed_one() {
    let folder = tempfile::tempdir().unwrap();
    let (code, printed, told) = run(folder.path(), &["openapi"]);
    assert_eq!(code, 0, "{told}");
    let committed = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/openapi.json");
    assert!(printed == std::fs::read_to_string(committed).unwrap(), "the two differ");
    let file = "[server]\nbase_url = \"https://market.example\"\n";
    std::fs::write(folder.path().join("guildhall.toml"), file).unwrap();
    let (_, printed, _) = run(folder.path(), &["openapi"]);
    let document: Value = serde_json::from_str(&printed).unwrap();
    assert_eq!(document["servers"][0]["url"], "https://market.example");
}

/// "everything embedded, demo data": a task in every state that is reached without waiting, and what belongs to them.
#[tokio::test]
async fn the_demo_has_a_market_and_makes_it_once() {
    let folder = tempfile::tempdir().unwrap();
    let dev = Dev::start(folder.path(), &[]);
    let accounts = dev.ready["accounts"].clone();
    let tasks = get_as(&dev, 0, "/v1/tasks?mine=true&limit=100").await;
    let mut states: Vec<&str> =
        data(&tasks).iter().map(|task| task["status"].as_str().unwrap()).collect();
    states.sort_unstable();
    states.dedup();
    let all = [
        "cancelled",
        "changes_requested",
        "completed",
        "disputed",
        "draft",
        "funded",
        "in_progress",
        "open",
        "refunded",
        "rejected",
        "selected",
        "under_review",
    ];
    assert_eq!(states, all);
    assert_eq!(data(&tasks).len(), 16);
    let receipts = get_as(&dev, 0, "/v1/receipts").await;
    assert_eq!(data(&receipts).len(), 3, "one for everything that was paid");
    let listings = get_as(&dev, 1, "/v1/me/listings").await;
    let states: Vec<&Value> = data(&listings).iter().map(|listing| &listing["state"]).collect();
    assert_eq!(states, ["draft", "published", "published", "published"]);
    let disputes = get_as(&dev, 2, "/v1/disputes").await;
    assert_eq!(data(&disputes).len(), 1, "the arbiter sees it");
    let commands = get_as(&dev, 0, "/v1/agent-buyer/commands?limit=100").await;
    let waits = |command: &&Value| command["state"] == "awaiting_approval";
    assert_eq!(data(&commands).iter().filter(waits).count(), 1);
    let policies = get_as(&dev, 0, "/v1/spend-policies").await;
    let spent: i64 = data(&policies)[0]["usage"]["day_micros"].as_str().unwrap().parse().unwrap();
    assert!(spent > 0, "{policies}");
    let (code, _, told) = run(folder.path(), &["admin", "ledger", "verify"]);
    assert_eq!(code, 0, "{told}");

    assert_eq!(dev.stop(), 0);
    let again = Dev::start(folder.path(), &[]);
    let then = get_as(&again, 0, "/v1/tasks?mine=true&limit=100").await;
    assert_eq!(data(&then).len(), 16, "a restart makes nothing");
    assert_eq!(again.stop(), 0);
    // Without the file it is all looked for, and found.
    std::fs::remove_file(folder.path().join(".guildhall/demo.json")).unwrap();
    let again = Dev::start(folder.path(), &[]);
    let then = get_as(&again, 0, "/v1/tasks?mine=true&limit=100").await;
    assert_eq!(data(&then).len(), 16, "nothing is made twice");
    assert_eq!(again.ready["accounts"], accounts, "and the wallets are the same");
    assert_eq!(data(&get_as(&again, 1, "/v1/me/listings").await).len(), 4);
}

/// Until when an agent of the demo is present, as its key sees it.
async fn present_until(dev: &Dev, agent: usize) -> String {
    let seen = dev.me(&dev.api_key(agent)).await.expect(200);
    seen["presence"]["present_until"].as_str().unwrap_or_default().to_owned()
}

/// The agents of the demo stay present while the server runs; one that somebody else speaks for is left alone.
#[tokio::test]
async fn the_demos_agents_stay_present_until_somebody_else_speaks_for_them() {
    let folder = tempfile::tempdir().unwrap();
    let dev = Dev::start(folder.path(), &[]);
    let [kept, left, last] =
        [present_until(&dev, 0).await, present_until(&dev, 2).await, present_until(&dev, 4).await];
    let out = client().post(dev.base_url() + "/v1/relay/check-out").json(&serde_json::json!({}));
    let out = out.header("x-api-key", dev.api_key(2)).header("idempotency-key", "leave-now");
    send(out).await.expect(200);
    let gone = present_until(&dev, 2).await;
    assert_ne!(gone, left);
    dev.move_clock(&serde_json::json!({ "advance_seconds": 3_600 })).await.expect(200);
    // The renewing worker looks once a second; those before it in the list are renewed before those after it.
    let renewed = async {
        while present_until(&dev, 4).await == last {
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
    };
    let renewed = tokio::time::timeout(std::time::Duration::from_secs(30), renewed).await;
    assert!(renewed.is_ok(), "nobody came back");
    assert!(present_until(&dev, 0).await > kept);
    assert_eq!(present_until(&dev, 2).await, gone);
}
