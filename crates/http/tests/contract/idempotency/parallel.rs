//! Many at once with one key: one effect, one answer.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use testkit::{Answer, Person, Server, on_both_engines, unique};
use tokio::task::JoinSet;

use crate::conventions::{agent_names, send};

on_both_engines!(
    thirty_two_at_once_have_one_effect,
    different_requests_at_once_with_one_key_have_one_effect,
    a_secret_shown_at_once_is_one_secret,
    heavy_two_hundred_keys_under_fire,
);

/// Sends the same request `count` times at once.
async fn volley(
    person: &Person<'_>,
    key: &str,
    path: &str,
    bodies: &[Value],
    count: usize,
) -> Vec<Answer> {
    let mut requests = JoinSet::new();
    for body in bodies.iter().cycle().take(count) {
        let request = person.server.request("POST", path).bearer_auth(&person.token);
        requests.spawn(send(request.header("idempotency-key", key).json(body)));
    }
    requests.join_all().await
}

/// How many of the answers were not replays.
fn originals(answers: &[Answer]) -> usize {
    answers.iter().filter(|answer| answer.header("idempotent-replayed").is_none()).count()
}

/// "a second request with the same key while the first is still running waits for it and returns its result"
async fn thirty_two_at_once_have_one_effect(server: Server) {
    let ada = server.person("ada").await;
    let body = [json!({ "name": "scout" })];
    let answers = volley(&ada, &unique("key"), "/v1/me/agents", &body, 32).await;
    let bodies: BTreeSet<&str> = answers.iter().map(|answer| answer.text.as_str()).collect();
    assert_eq!(bodies.len(), 1, "{bodies:?}");
    assert!(answers.iter().all(|answer| answer.status == 201), "{answers:?}");
    assert_eq!((answers.len(), originals(&answers)), (32, 1));
    assert_eq!(agent_names(&ada).await, ["scout"]);
}

/// "The same key with a different request is rejected": also when both are sent at once.
async fn different_requests_at_once_with_one_key_have_one_effect(server: Server) {
    let ada = server.person("ada").await;
    let bodies = [json!({ "name": "one" }), json!({ "name": "two" })];
    let answers = volley(&ada, &unique("key"), "/v1/me/agents", &bodies, 32).await;
    let names = agent_names(&ada).await;
    assert_eq!(names.len(), 1, "one effect: {names:?}");
    let (done, refused): (Vec<_>, Vec<_>) = answers.iter().partition(|answer| answer.status == 201);
    assert_eq!((done.len(), refused.len()), (16, 16), "{answers:?}");
    assert!(done.iter().all(|answer| answer.body["name"] == names[0].as_str()));
    for answer in refused {
        answer.refused(409, "conflict");
    }
}

/// createConnection at once with one key: everybody is shown the one key that was made.
async fn a_secret_shown_at_once_is_one_secret(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.create_agent("scout").await;
    let body = [json!({ "agent_id": agent, "client_catalog_id": "custom" })];
    let answers = volley(&ada, &unique("key"), "/v1/connections", &body, 16).await;
    let keys: BTreeSet<&str> =
        answers.iter().map(|answer| answer.body["api_key"].as_str().expect("a key")).collect();
    assert_eq!((keys.len(), originals(&answers)), (1, 1));
    let connections = ada.get("/v1/connections").await.expect(200);
    assert_eq!(connections["data"].as_array().map(Vec::len), Some(1));
}

/// Idempotency under fire: 200 keys, 32 requests at once for each, one effect each, identical answers.
async fn heavy_two_hundred_keys_under_fire(server: Server) {
    const KEYS: usize = 200;
    /// How many keys are under fire at a time: enough to contend, few enough for the sockets of a small machine.
    const TOGETHER: usize = 8;
    let ada = server.person("ada").await;
    let names: Vec<String> = (0..KEYS).map(|number| format!("agent {number}")).collect();
    for some in names.chunks(TOGETHER) {
        let mut volleys = JoinSet::new();
        for name in some {
            let key = unique("key");
            for _ in 0..32 {
                let request = server.request("POST", "/v1/me/agents").bearer_auth(&ada.token);
                let request = request.header("idempotency-key", &key);
                let (request, name) = (request.json(&json!({ "name": name })), name.clone());
                volleys.spawn(async move { (name, send(request).await) });
            }
        }
        let answers = volleys.join_all().await;
        for name in some {
            let of_name = answers.iter().filter(|(asked, _)| asked == name);
            let of_name: Vec<Answer> = of_name.map(|(_, answer)| answer.clone()).collect();
            let bodies: BTreeSet<&str> =
                of_name.iter().map(|answer| answer.text.as_str()).collect();
            assert_eq!(
                (of_name.len(), bodies.len(), originals(&of_name)),
                (32, 1, 1),
                "{bodies:?}"
            );
            assert!(of_name.iter().all(|answer| answer.status == 201), "{bodies:?}");
        }
    }
    let (mut found, mut wanted) = (all_agents(&ada).await, names);
    found.sort_unstable();
    wanted.sort_unstable();
    assert_eq!(found, wanted, "one effect each");
}

/// The names of all agents, page by page.
async fn all_agents(person: &Person<'_>) -> Vec<String> {
    let (mut names, mut path) = (Vec::new(), "/v1/me/agents?limit=100".to_owned());
    loop {
        let page = person.get(&path).await.expect(200);
        let agents = page["data"].as_array().expect("a list").iter();
        names.extend(agents.map(|agent| agent["name"].as_str().expect("a name").to_owned()));
        let Some(next) = page["next_page"].as_str() else { return names };
        path = format!("/v1/me/agents?limit=100&cursor={next}");
    }
}
