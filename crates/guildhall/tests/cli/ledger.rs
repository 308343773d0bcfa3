//! `guildhall admin credits grant`, `guildhall admin ledger verify` and the faucet, beside a running server.

use std::path::Path;

use serde_json::{Value, json};

use crate::support::{Answer, Dev, client, post, run, send, sign_in};

const BUYER: &str = "buyer@guildhall.test";

async fn credits(dev: &Dev, person: usize) -> Value {
    let base = dev.base_url();
    let account = &dev.ready["accounts"][person];
    let text = |name: &str| account[name].as_str().unwrap();
    let token = sign_in(&base, text("email"), text("password")).await;
    send(client().get(format!("{base}/v1/credits")).bearer_auth(token)).await.expect(200)
}

/// What a person of the demo can spend, in micros.
async fn available(dev: &Dev, person: usize) -> i64 {
    micros(&credits(dev, person).await["available_micros"])
}

fn micros(amount: &Value) -> i64 {
    amount.as_str().unwrap().parse().unwrap()
}

fn grant(folder: &Path, email: &str, credits: &str) -> (i32, String, String) {
    let amount = format!("--credits={credits}");
    run(folder, &["admin", "credits", "grant", "--email", email, &amount, "--json"])
}

fn verify(folder: &Path) -> (i32, Value, String) {
    let (code, printed, told) = run(folder, &["admin", "ledger", "verify", "--json"]);
    (code, serde_json::from_str(&printed).unwrap(), told)
}

async fn faucet(dev: &Dev, wish: &Value) -> Answer {
    post(&dev.base_url(), "/dev/faucet", wish).await
}

/// "they work beside a running server; e.g. `admin credits grant --email E --credits 100`, `admin ledger verify`"
#[tokio::test]
async fn credits_are_granted_and_the_books_verified_under_a_running_server() {
    let folder = tempfile::tempdir().unwrap();
    let dev = Dev::start(folder.path(), &[]);
    let (_, before, _) = verify(folder.path());
    assert_eq!(
        before["moved"]["grant_micros"], "1500000000",
        "1,000 for the buyer, 500 for the owner"
    );
    let had = available(&dev, 0).await;
    assert!(had < 1_000_000_000, "some of it is spent, reserved and held");
    assert!(available(&dev, 1).await > 500_000_000, "and some of it earned");
    assert_eq!(available(&dev, 2).await, 0);
    let (code, printed, told) = grant(folder.path(), BUYER, "100.5");
    assert_eq!(code, 0, "{told}");
    let granted: Value = serde_json::from_str(&printed).unwrap();
    assert_eq!(granted["account_id"], dev.ready["accounts"][0]["account_id"]);
    assert_eq!(granted["granted_micros"], "100500000");
    assert_eq!(micros(&granted["available_micros"]), had + 100_500_000);
    assert_eq!(available(&dev, 0).await, had + 100_500_000);

    let (code, report, told) = verify(folder.path());
    assert_eq!(code, 0, "{told}");
    assert_eq!((&report["sound"], &report["findings"]), (&true.into(), &0.into()));
    let grown = |name: &str| report[name].as_i64().unwrap() - before[name].as_i64().unwrap();
    assert_eq!((grown("transfers"), grown("entries")), (1, 2));
    assert_eq!(report["moved"]["grant_micros"], "1600500000");
    assert_eq!(report["balances"]["issuance_micros"], "-1600500000");
    let (_, printed, _) = run(folder.path(), &["admin", "ledger", "verify"]);
    let told = format!("{} entries of {} transfers", report["entries"], report["transfers"]);
    assert!(printed.contains(&told), "{printed}");
    assert!(printed.ends_with("the books balance\n"), "{printed}");
}

#[test]
fn what_cannot_be_granted_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let _dev = Dev::start(folder.path(), &[]);
    let before = verify(folder.path()).1["transfers"].clone();
    for (email, amount, reason) in [
        ("nobody@example.test", "1", "there is no account nobody@example.test"),
        (BUYER, "0", "credits: must be above zero"),
        (BUYER, "-1", "must be an amount of credits"),
        (BUYER, "1.0000001", "at most six decimals"),
        (BUYER, "1000000001", "at most 1000000000"),
    ] {
        let (code, printed, told) = grant(folder.path(), email, amount);
        assert!(code != 0 && printed.is_empty() && told.contains(reason), "{amount}: {told}");
    }
    assert_eq!(verify(folder.path()).1["transfers"], before, "only the demo's own");
}

/// "exit code ≠ 0 and names the first broken entry when something is off"
#[test]
fn a_broken_ledger_is_told_with_its_first_broken_entry() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(Dev::start(folder.path(), &[]).stop(), 0);
    let book = testkit::sqlite_tamper(&folder.path().join(".guildhall").join("guildhall.db"));
    let (code, report, told) = verify(folder.path());
    assert_eq!(code, 1);
    assert_eq!(report["sound"], false);
    assert_eq!(
        (&report["first_finding"]["book"], &report["first_finding"]["seq"]),
        (&book.as_str().into(), &1.into())
    );
    assert!(told.contains(&format!("the ledger is broken: {book} entry 1 (led_")), "{told}");
    let (code, printed, _) = run(folder.path(), &["admin", "ledger", "verify"]);
    assert_eq!(code, 1);
    assert!(printed.contains("BROKEN"), "{printed}");
}

/// "Dev mode alone also mounts … `POST /dev/faucet {"email", "credits"}`"
#[tokio::test]
async fn the_faucet_gives_credits() {
    let folder = tempfile::tempdir().unwrap();
    let dev = Dev::start(folder.path(), &[]);
    let had = available(&dev, 0).await;
    let given = faucet(&dev, &json!({ "email": BUYER, "credits": "2.5" })).await.expect(200);
    assert_eq!(micros(&given["available_micros"]), had + 2_500_000);
    let given = faucet(&dev, &json!({ "email": BUYER, "credits": 10 })).await.expect(200);
    assert_eq!(micros(&given["available_micros"]), had + 12_500_000);
    assert_eq!(available(&dev, 0).await, had + 12_500_000);
    for (bad, status) in [
        (json!({ "email": BUYER, "credits": "0" }), 400),
        (json!({ "email": BUYER, "credits": "-1" }), 400),
        (json!({ "email": BUYER, "credits": 1.5e300 }), 400),
        (json!({ "email": BUYER, "credits": null }), 400),
        (json!({ "email": BUYER }), 400),
        (json!({ "email": BUYER, "credits": "1", "more": true }), 400),
        (json!({ "email": "nobody@example.test", "credits": "1" }), 404),
    ] {
        faucet(&dev, &bad).await.expect(status);
    }
    assert_eq!(available(&dev, 0).await, had + 12_500_000);
    assert_eq!(dev.stop(), 0);
    let again = Dev::start(folder.path(), &[]);
    assert_eq!(available(&again, 0).await, had + 12_500_000, "a restart gives nothing");
}
