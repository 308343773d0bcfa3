//! Lists: the envelope, the bounds of a page, and cursors.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use testkit::{Person, Server, on_both_engines};

use crate::conventions::{agent_names, send};

on_both_engines!(
    a_page_has_data_and_next_page,
    the_last_page_has_a_null_next_page,
    a_page_has_25_items_unless_asked,
    a_page_has_1_to_100_items,
    a_cursor_is_not_empty,
    pages_give_every_item_once_and_the_newest_first,
    pages_hold_while_items_are_added,
    a_cursor_cannot_be_made_up,
    a_cursor_is_for_one_reader_and_one_list,
);

/// Makes agents named 0, 1, 2, …
async fn agents(person: &Person<'_>, count: usize) {
    for number in 0..count {
        person.create_agent(&number.to_string()).await;
    }
}

fn names(page: &Value) -> Vec<String> {
    let agents = page["data"].as_array().expect("a list").iter();
    agents.map(|agent| agent["name"].as_str().expect("a name").to_owned()).collect()
}

fn cursor(page: &Value) -> String {
    page["next_page"].as_str().expect("a next page").to_owned()
}

async fn page(person: &Person<'_>, query: &str) -> Value {
    person.get(&format!("/v1/me/agents?{query}")).await.expect(200)
}

/// "Response: `{data, next_page}`"
async fn a_page_has_data_and_next_page(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.agent("scout").await;
    let lists = [
        ada.get("/v1/me/agents").await,
        ada.get("/v1/connections").await,
        ada.get("/v1/spend-policies").await,
        ada.get("/v1/me/activity").await,
        server.get("/v1/client-catalog").await,
        agent.get("/v1/notifications").await,
    ];
    for list in lists {
        let list = list.expect(200);
        let fields: BTreeSet<&str> =
            list.as_object().expect("an object").keys().map(|key| &**key).collect();
        assert_eq!(fields, BTreeSet::from(["data", "next_page"]), "{list}");
        assert!(list["data"].is_array(), "{list}");
    }
}

/// "`next_page` is `null` on the last page"; also when that page is full.
async fn the_last_page_has_a_null_next_page(server: Server) {
    let ada = server.person("ada").await;
    assert_eq!(page(&ada, "").await, json!({ "data": [], "next_page": null }));
    agents(&ada, 4).await;
    let first = page(&ada, "limit=2").await;
    let second = page(&ada, &format!("limit=2&cursor={}", cursor(&first))).await;
    assert_eq!(
        (names(&first), names(&second)),
        (vec!["3".into(), "2".into()], vec!["1".into(), "0".into()])
    );
    assert_eq!(second["next_page"], Value::Null);
    assert_eq!(page(&ada, "limit=4").await["next_page"], Value::Null);
}

/// "Query parameter limit: integer 1 to 100, default 25."
async fn a_page_has_25_items_unless_asked(server: Server) {
    let ada = server.person("ada").await;
    agents(&ada, 26).await;
    let first = page(&ada, "").await;
    assert_eq!(names(&first).len(), 25);
    assert_eq!(names(&page(&ada, &format!("cursor={}", cursor(&first))).await), ["0"]);
    assert_eq!(names(&page(&ada, "limit=100").await).len(), 26);
}

/// "limit: integer 1 to 100"
async fn a_page_has_1_to_100_items(server: Server) {
    let ada = server.person("ada").await;
    agents(&ada, 2).await;
    assert_eq!(names(&page(&ada, "limit=1").await), ["1"]);
    assert_eq!(names(&page(&ada, "limit=100").await), ["1", "0"]);
    let wrong = [
        "0",
        "101",
        "-1",
        "x",
        "1.5",
        "",
        "01",
        "%2B1",
        "1e1",
        "0x10",
        "null",
        "4294967297",
        "99999999999999999999999",
        "%20 5",
        "٣",
    ];
    for limit in wrong {
        for list in ["/v1/me/agents", "/v1/connections", "/v1/spend-policies", "/v1/client-catalog"]
        {
            let answer = ada.get(&format!("{list}?limit={limit}")).await;
            let reason = answer.refused(400, "invalid_request");
            assert!(reason.starts_with("limit: "), "{list}?limit={limit}: {reason}");
        }
    }
}

/// "Query parameter cursor: opaque string, minimum length 1"
async fn a_cursor_is_not_empty(server: Server) {
    let ada = server.person("ada").await;
    for query in ["cursor=", "cursor", "limit=5&cursor="] {
        let answer = ada.get(&format!("/v1/me/agents?{query}")).await;
        let reason = answer.refused(400, "invalid_request");
        assert!(reason.starts_with("cursor: "), "{reason}");
    }
}

/// "lists are newest first by id unless said"; a walk over the pages misses nothing and repeats nothing.
async fn pages_give_every_item_once_and_the_newest_first(server: Server) {
    let ada = server.person("ada").await;
    agents(&ada, 11).await;
    let expected: Vec<String> = (0..11).rev().map(|number| number.to_string()).collect();
    for limit in [1, 2, 3, 5, 10, 11, 12, 100] {
        let mut found = Vec::new();
        let mut query = format!("limit={limit}");
        loop {
            let page = page(&ada, &query).await;
            assert!(names(&page).len() <= limit, "{page}");
            found.extend(names(&page));
            let Some(next) = page["next_page"].as_str() else { break };
            query = format!("limit={limit}&cursor={next}");
        }
        assert_eq!(found, expected, "by {limit}");
    }
}

/// "taken from the previous page's `next_page`": what is added meanwhile is newer, and moves nothing.
async fn pages_hold_while_items_are_added(server: Server) {
    let ada = server.person("ada").await;
    agents(&ada, 6).await;
    let first = page(&ada, "limit=2").await;
    assert_eq!(names(&first), ["5", "4"]);
    let second_page = format!("limit=2&cursor={}", cursor(&first));
    ada.create_agent("new").await;
    let second = page(&ada, &second_page).await;
    assert_eq!(names(&second), ["3", "2"]);
    ada.create_agent("newer").await;
    let third = page(&ada, &format!("limit=2&cursor={}", cursor(&second))).await;
    assert_eq!((names(&third), &third["next_page"]), (vec!["1".into(), "0".into()], &Value::Null));
    assert_eq!(page(&ada, &second_page).await, second, "a cursor can be used again");
    assert_eq!(names(&page(&ada, &second_page.replace("limit=2", "limit=1")).await), ["3"]);
    assert_eq!(agent_names(&ada).await[..2], ["newer", "new"]);
}

/// "cursors are opaque, authenticated (a forged or foreign cursor is 400)"
async fn a_cursor_cannot_be_made_up(server: Server) {
    let ada = server.person("ada").await;
    agents(&ada, 3).await;
    let good = cursor(&page(&ada, "limit=1").await);
    let mut forged: Vec<String> = (0..good.len()).map(|at| altered(&good, at)).collect();
    forged.extend([1, 8, good.len() / 2, good.len() - 1].map(|length| good[..length].to_owned()));
    forged.extend([
        format!("{good}A"),
        format!("{good}{good}"),
        format!("{good}%3D"),
        good.to_lowercase(),
    ]);
    forged.extend(["0", "null", "%00", "../..", "%27"].map(str::to_owned));
    forged.push("A".repeat(513));
    forged.push(ada.account_id.clone());
    for cursor in forged {
        let answer = ada.get(&format!("/v1/me/agents?limit=1&cursor={cursor}")).await;
        let reason = answer.refused(400, "invalid_request");
        assert!(reason.starts_with("cursor: "), "{cursor}: {reason}");
    }
    assert_eq!(names(&page(&ada, &format!("limit=1&cursor={good}")).await), ["1"]);
}

/// The text with another character at one place.
fn altered(text: &str, at: usize) -> String {
    let other = if text.as_bytes()[at] == b'A' { 'Q' } else { 'A' };
    format!("{}{other}{}", &text[..at], &text[at + 1..])
}

/// "bound to the list and its filters"; a foreign cursor is 400.
async fn a_cursor_is_for_one_reader_and_one_list(server: Server) {
    let (ada, bob) = (server.person("ada").await, server.person("bob").await);
    for (person, name) in [(&ada, "one"), (&ada, "two"), (&bob, "three"), (&bob, "four")] {
        person.create_agent(name).await;
    }
    let adas = cursor(&page(&ada, "limit=1").await);
    bob.get(&format!("/v1/me/agents?cursor={adas}")).await.refused(400, "invalid_request");
    for list in ["/v1/connections", "/v1/spend-policies", "/v1/me/activity", "/v1/client-catalog"] {
        let answer = ada.get(&format!("{list}?cursor={adas}")).await;
        answer.refused(400, "invalid_request");
    }
    let catalog = server.get("/v1/client-catalog?limit=1").await.expect(200);
    let public = cursor(&catalog);
    ada.get(&format!("/v1/me/agents?cursor={public}")).await.refused(400, "invalid_request");
    let again = send(server.request("GET", &format!("/v1/client-catalog?cursor={public}"))).await;
    assert_eq!(again.expect(200)["next_page"], Value::Null);
    assert_eq!(names(&page(&ada, &format!("cursor={adas}")).await), ["one"]);
}
