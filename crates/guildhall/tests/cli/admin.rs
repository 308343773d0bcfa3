//! `guildhall admin …`, beside a running server: "they work beside a running server".

use std::path::Path;

use serde_json::{Value, json};

use crate::support::{Dev, client, me, post, run, run_with_input, send, sign_in};

const EMAIL: &str = "new@example.test";
const FIRST: &str = "otter violin march";
const SECOND: &str = "copper meadow sonata";

fn account(folder: &Path, command: &str, input: &str) -> (i32, String, String) {
    let arguments = ["admin", "account", command, "--email", EMAIL, "--json"];
    run_with_input(folder, &arguments, input)
}

fn create(folder: &Path, password: &str) -> (i32, String, String) {
    let arguments = ["admin", "account", "create", "--email", EMAIL, "--name", "New", "--json"];
    run_with_input(folder, &arguments, &format!("{password}\n"))
}

#[tokio::test]
async fn an_account_is_made_shut_opened_and_given_another_password_under_a_running_server() {
    let folder = tempfile::tempdir().unwrap();
    let dev = Dev::start(folder.path(), &[]);
    let base = dev.base_url();
    let (code, made, told) = create(folder.path(), FIRST);
    assert_eq!(code, 0, "{told}");
    let made: Value = serde_json::from_str(&made).unwrap();
    assert_eq!((&made["email"], &made["display_name"]), (&EMAIL.into(), &"New".into()));
    assert_eq!(made["disabled_at"], Value::Null);
    let token = sign_in(&base, EMAIL, FIRST).await;
    assert_eq!(me(&base, &token).await.expect(200)["account_id"], made["account_id"]);

    let (code, shut, told) = account(folder.path(), "disable", "");
    assert_eq!(code, 0, "{told}");
    assert!(serde_json::from_str::<Value>(&shut).unwrap()["disabled_at"].is_string());
    me(&base, &token).await.expect(401);
    let credentials = json!({ "email": EMAIL, "password": FIRST });
    post(&base, "/api/auth/sign-in/email", &credentials).await.expect(403);

    assert_eq!(account(folder.path(), "enable", "").0, 0);
    assert_eq!(account(folder.path(), "set-password", &format!("{SECOND}\n")).0, 0);
    post(&base, "/api/auth/sign-in/email", &credentials).await.expect(401);
    sign_in(&base, EMAIL, SECOND).await;
    let (_, shown, _) = account(folder.path(), "show", "");
    assert_eq!(serde_json::from_str::<Value>(&shown).unwrap(), made);
}

#[test]
fn what_cannot_be_done_is_told_with_a_reason() {
    let folder = tempfile::tempdir().unwrap();
    let _dev = Dev::start(folder.path(), &[]);
    for (outcome, reason) in [
        (account(folder.path(), "show", ""), "there is no account new@example.test"),
        (account(folder.path(), "disable", ""), "error: "),
        (create(folder.path(), "short"), "password: must be 10 to 256 characters long"),
        (create(folder.path(), ""), "no password was given"),
    ] {
        let (code, printed, told) = outcome;
        assert!(code != 0 && printed.is_empty() && told.contains(reason), "{code} {told}");
    }
    assert_eq!(create(folder.path(), FIRST).0, 0);
    let (code, _, told) = create(folder.path(), FIRST);
    assert_eq!(code, 1);
    assert!(told.contains("email: cannot be used for a new account."), "{told}");
}

/// "keys rotate by `guildhall admin keys rotate`"; jwks has the "current and previous keys".
#[tokio::test]
async fn keys_rotate_under_a_running_server() {
    let folder = tempfile::tempdir().unwrap();
    let dev = Dev::start(folder.path(), &[]);
    let base = dev.base_url();
    let owner = dev.ready["accounts"][1].clone();
    let text = |name: &str| owner[name].as_str().unwrap();
    let before = sign_in(&base, text("email"), text("password")).await;
    let rotate = || -> String {
        let (code, printed, told) = run(folder.path(), &["admin", "keys", "rotate", "--json"]);
        assert_eq!(code, 0, "{told}");
        let printed: Value = serde_json::from_str(&printed).unwrap();
        printed["key_id"].as_str().unwrap().to_owned()
    };
    let first = rotate();
    let jwks = send(client().get(format!("{base}/api/auth/jwks"))).await.expect(200);
    assert_eq!(
        (&jwks["keys"][0]["kid"], jwks["keys"].as_array().unwrap().len()),
        (&json!(first), 2)
    );
    me(&base, &before).await.expect(200);
    let after = sign_in(&base, text("email"), text("password")).await;
    me(&base, &after).await.expect(200);
    let second = rotate();
    let (_, listed, _) = run(folder.path(), &["admin", "keys", "list", "--json"]);
    let listed: Value = serde_json::from_str(&listed).unwrap();
    let states: Vec<&Value> =
        listed["keys"].as_array().unwrap().iter().map(|key| &key["state"]).collect();
    assert_eq!(states, ["signs", "verifies", "retired"]);
    assert_eq!(
        (&listed["keys"][0]["key_id"], &listed["keys"][1]["key_id"]),
        (&json!(second), &json!(first))
    );
    me(&base, &after).await.expect(200);
}

/// "`guildhall admin account|credits|arbiter|…`"; "arbiters: all open"
#[tokio::test]
async fn an_arbiter_is_named_and_dismissed_under_a_running_server() {
    let folder = tempfile::tempdir().unwrap();
    let dev = Dev::start(folder.path(), &[]);
    let email = dev.ready["accounts"][0]["email"].as_str().unwrap().to_owned();
    let arbiter =
        |verb: &str| run(folder.path(), &["admin", "arbiter", verb, "--email", &email, "--json"]);
    for (verb, rules) in [("add", true), ("add", true), ("remove", false)] {
        let (code, printed, told) = arbiter(verb);
        assert_eq!(code, 0, "{told}");
        let printed: Value = serde_json::from_str(&printed).unwrap();
        assert_eq!(printed["email"], json!(email));
        assert_eq!(printed["account_id"], dev.ready["accounts"][0]["account_id"]);
        assert_eq!(printed["arbiter"], rules);
    }
    let nobody = ["admin", "arbiter", "add", "--email", "nobody@example.test"];
    let (code, printed, told) = run(folder.path(), &nobody);
    assert!(code != 0 && printed.is_empty() && told.contains("No such account"), "{code} {told}");
}

/// "`guildhall admin account|…|pause …`: `--data DIR` or `--config FILE` says which instance; they work beside a running
/// server".
#[test]
fn accounts_are_listed_newest_first_and_in_pages() {
    let folder = tempfile::tempdir().unwrap();
    let _dev = Dev::start(folder.path(), &[]);
    assert_eq!(create(folder.path(), FIRST).0, 0);
    let list = |more: &[&str]| -> (Vec<String>, Value) {
        let (code, printed, told) =
            run(folder.path(), &[&["admin", "account", "list", "--json"], more].concat());
        assert_eq!(code, 0, "{told}");
        let printed: Value = serde_json::from_str(&printed).unwrap();
        let accounts = printed["accounts"].as_array().unwrap();
        assert!(accounts.iter().all(|one| one["disabled_at"].is_null()), "{accounts:?}");
        let emails = accounts.iter().map(|one| one["email"].as_str().unwrap().to_owned());
        (emails.collect(), printed["next_before"].clone())
    };
    let (all, next) = list(&[]);
    let demo = ["arbiter@guildhall.test", "owner@guildhall.test", "buyer@guildhall.test"];
    assert_eq!(all, [&[EMAIL], &demo[..]].concat());
    assert_eq!(next, Value::Null);
    let (first, next) = list(&["--limit", "3"]);
    assert_eq!(first, all[..3]);
    let (rest, next) = list(&["--limit", "3", "--before", next.as_str().unwrap()]);
    assert_eq!((&rest[..], next), (&all[3..], Value::Null));
    assert_eq!(account(folder.path(), "disable", "").0, 0);
    let (_, printed, told) = run(folder.path(), &["admin", "account", "list", "--limit", "1"]);
    assert!(printed.starts_with("acct_") && printed.contains("  disabled  "), "{printed}");
    assert!(printed.lines().count() == 1 && told.contains("there are more: --before acct_"));
    for bad in [["--limit", "0"], ["--limit", "1001"], ["--before", "task_1"]] {
        assert_eq!(run(folder.path(), &[&["admin", "account", "list"], &bad[..]].concat()).0, 2);
    }
}

/// "`demand_unavailable` 503 (the operator's or the owner's kill switch is on)".
#[tokio::test]
async fn spending_is_paused_and_resumed_under_a_running_server() {
    let folder = tempfile::tempdir().unwrap();
    let dev = Dev::start(folder.path(), &[]);
    let admin = |arguments: &[&str]| -> Value {
        let (code, printed, told) =
            run(folder.path(), &[&["admin"], arguments, &["--json"]].concat());
        assert_eq!(code, 0, "{told}");
        serde_json::from_str::<Value>(&printed).unwrap()["spending"].clone()
    };
    let post = || {
        let task = json!({
            "title": "A map", "brief": "Draw one.", "criteria": ["It is a map."],
            "budget_credits": "1",
        });
        let request = client().post(dev.base_url() + "/v1/agent-buyer/tasks").json(&task);
        let key = testkit::unique("key");
        send(request.header("x-api-key", dev.api_key(1)).header("idempotency-key", key))
    };
    let goes_on = json!({ "paused": false, "reason": null, "since": null });
    assert_eq!(admin(&["pause", "status"]), goes_on);
    post().await.expect(201);

    let paused = admin(&["pause", "spending", "--reason", "A bug in a popular agent."]);
    assert_eq!(
        (&paused["paused"], &paused["reason"]),
        (&json!(true), &json!("A bug in a popular agent."))
    );
    let refused = post().await.refused(503, "demand_unavailable");
    assert!(refused.contains("A bug in a popular agent."), "{refused}");
    let again = admin(&["pause", "spending", "--reason", "Still."]);
    assert_eq!((&again["reason"], &again["since"]), (&json!("Still."), &paused["since"]));
    assert_eq!(admin(&["pause", "status"]), again);
    let (_, printed, _) = run(folder.path(), &["admin", "pause", "status"]);
    assert!(printed.starts_with("spending by agents is paused since 20"), "{printed}");
    assert!(printed.ends_with(": Still.\n"), "{printed}");

    assert_eq!(admin(&["resume", "spending"]), goes_on);
    assert_eq!(admin(&["resume", "spending"]), goes_on, "what goes on may be told to");
    post().await.expect(201);
    for bad in [&["pause", "spending"][..], &["pause", "spending", "--reason", ""], &["resume"]] {
        let (code, printed, _) = run(folder.path(), &[&["admin"], bad].concat());
        assert_eq!((code, printed.as_str()), (2, ""), "{bad:?}");
    }
}
