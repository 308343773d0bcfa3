//! Letters of a development instance.

use serde_json::{Value, json};

use crate::support::{Dev, client, post, send, sign_in};

const BUYER: &str = "buyer@guildhall.test";

async fn letters(dev: &Dev) -> Vec<Value> {
    let read = send(client().get(dev.base_url() + "/dev/mailbox")).await.expect(200);
    read["data"].as_array().unwrap().clone()
}

/// "Without SMTP the links go to the log and to the dev mailbox page": what lies there replaces a password.
#[tokio::test]
async fn a_forgotten_password_is_replaced_by_what_lies_in_the_mailbox() {
    let folder = tempfile::tempdir().unwrap();
    let dev = Dev::start(folder.path(), &[]);
    let base = dev.base_url();
    assert_eq!(letters(&dev).await, Vec::<Value>::new());
    for email in ["nobody@example.test", BUYER] {
        let asked = json!({ "email": email });
        post(&base, "/api/auth/forget-password", &asked).await.expect(200);
    }
    let [letter] = letters(&dev).await.try_into().unwrap();
    assert_eq!((&letter["to"], letter["sent_at"].is_string()), (&json!(BUYER), true));
    let text = letter["text"].as_str().unwrap();
    assert!(text.contains(&format!("{base}/api/auth/reset-password")), "{text}");
    let token = text.lines().find(|line| line.len() == 43 && !line.contains(' ')).unwrap();
    let password = "wrong mule accumulator paperclip";
    let reset = json!({ "token": token, "password": password });
    post(&base, "/api/auth/reset-password", &reset).await.expect(200);
    sign_in(&base, BUYER, password).await;
}
