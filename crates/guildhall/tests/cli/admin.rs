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
