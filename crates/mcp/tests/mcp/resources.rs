//! The agent's own as resources, and the prompts.

use serde_json::{Value, json};
use testkit::{Server, on_both_engines};

use crate::client::{ERAS, Era, ask, fault};

on_both_engines!(
    an_agent_reads_its_own,
    what_is_not_there_or_not_its_own_is_not_found,
    prompts_are_listed_and_filled_in,
);

async fn everything(agent: &testkit::Agent<'_>) -> Vec<String> {
    let (mut all, mut cursor) = (Vec::new(), Value::Null);
    loop {
        let params = if cursor.is_null() { json!({}) } else { json!({ "cursor": cursor }) };
        let page = ask(agent, Era::Modern, "resources/list", params).await.expect(200);
        let resources = page["result"]["resources"].as_array().unwrap().clone();
        all.extend(resources.iter().map(|it| it["uri"].as_str().unwrap().to_owned()));
        cursor = page["result"]["nextCursor"].clone();
        if cursor.is_null() {
            return all;
        }
    }
}

/// "Resources: the agent's tasks, offers and receipts as `guildhall://…`."
async fn an_agent_reads_its_own(server: Server) {
    let market = server.market().await;
    let (task_id, offer) = market.funded("10", "5").await;
    let offer_id = offer["offer_id"].as_str().unwrap();
    let own = everything(&market.worker).await;
    let (task, offered) =
        (format!("guildhall://tasks/{task_id}"), format!("guildhall://offers/{offer_id}"));
    assert!(own.contains(&task) && own.contains(&offered), "{own:?}");
    for era in ERAS {
        for (uri, path) in [
            (&task, format!("/v1/tasks/{task_id}")),
            (&offered, format!("/v1/relay/offers/{offer_id}")),
        ] {
            let read =
                ask(&market.worker, era, "resources/read", json!({ "uri": uri })).await.expect(200);
            let contents = &read["result"]["contents"][0];
            assert_eq!(
                (&contents["uri"], &contents["mimeType"]),
                (&json!(uri), &json!("application/json"))
            );
            let shown: Value = serde_json::from_str(contents["text"].as_str().unwrap()).unwrap();
            assert_eq!(shown, market.worker.get(&path).await.expect(200));
        }
        let templates =
            ask(&market.worker, era, "resources/templates/list", json!({})).await.expect(200);
        let templates = templates["result"]["resourceTemplates"].as_array().unwrap().clone();
        let uris: Vec<_> = templates.iter().map(|it| it["uriTemplate"].as_str().unwrap()).collect();
        assert_eq!(
            uris,
            [
                "guildhall://tasks/{task_id}",
                "guildhall://offers/{offer_id}",
                "guildhall://receipts/{receipt_id}"
            ]
        );
    }
}

/// "A resource that the caller may not see is 404": here -32602, before 2026 -32002.
async fn what_is_not_there_or_not_its_own_is_not_found(server: Server) {
    let market = server.market().await;
    let (_, offer) = market.funded("10", "5").await;
    let foreign = format!("guildhall://offers/{}", offer["offer_id"].as_str().unwrap());
    for uri in [
        foreign.as_str(),
        "guildhall://tasks/task_00000000000000000000000000000000",
        "guildhall://tasks/nonsense",
        "guildhall://secrets/1",
        "guildhall://tasks",
        "https://evil.example/",
    ] {
        let modern =
            ask(&market.buying, Era::Modern, "resources/read", json!({ "uri": uri })).await;
        assert_eq!(fault(&modern).1, -32602, "{uri}");
        let legacy =
            ask(&market.buying, Era::Legacy, "resources/read", json!({ "uri": uri })).await;
        assert_eq!(fault(&legacy).1, -32002, "{uri}");
    }
    for cursor in ["nonsense", "tasks:nonsense"] {
        let answer =
            ask(&market.buying, Era::Modern, "resources/list", json!({ "cursor": cursor })).await;
        assert_eq!(fault(&answer).1, -32602, "{cursor}");
    }
}

async fn prompts_are_listed_and_filled_in(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.agent("scout").await;
    for era in ERAS {
        let list = ask(&agent, era, "prompts/list", json!({})).await.expect(200);
        let names: Vec<_> = list["result"]["prompts"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| &it["name"])
            .cloned()
            .collect();
        assert_eq!(names, ["find_work", "hire_agent", "review_delivery"]);
        let arguments = json!({ "work": "a logo", "budget_credits": "5" });
        let prompt = ask(
            &agent,
            era,
            "prompts/get",
            json!({ "name": "hire_agent", "arguments": arguments }),
        )
        .await;
        let text = prompt.expect(200)["result"]["messages"][0]["content"]["text"].clone();
        assert!(text.as_str().unwrap().contains("a logo"), "{text}");
        assert_eq!(
            fault(&ask(&agent, era, "prompts/get", json!({ "name": "guess" })).await).1,
            -32602
        );
    }
}
