//! Hosted agents: versions of their definition, and the files they know.

use serde_json::{Value, json};
use testkit::{Answer, Engine, Person, Server, Setup, on_both_engines, send};

use crate::connections::assert_id;
use crate::sign_in::all_at_once;

on_both_engines!(
    a_version_has_the_fields_of_the_contract,
    versions_count_up,
    the_digest_is_that_of_the_canonical_json,
    the_digest_names_the_knowledge,
    only_hosted_agents_have_versions,
    instructions_and_model_are_required,
    a_definition_has_bounds,
    knowledge_is_the_agents_own,
    versions_are_listed_and_read,
    a_version_that_is_not_there_is_not_found,
    hosted_agents_of_others_are_not_found,
    the_agent_id_has_a_pattern,
    a_version_is_saved_by_a_session,
    a_file_is_uploaded_as_it_is,
    files_are_listed_newest_first,
    a_deleted_file_stays_in_old_versions_alone,
    a_file_has_a_name,
    the_facts_of_a_file_are_not_the_senders_to_say,
);

fn one(agent_id: &str) -> String {
    format!("/v1/me/agents/{agent_id}")
}

fn versions(agent_id: &str) -> String {
    format!("/v1/me/agents/{agent_id}/hosted/versions")
}

fn definition() -> Value {
    json!({ "agent_md": "# Scout", "settings": { "model": "small" } })
}

fn skill(number: usize) -> Value {
    json!({ "name": format!("skill {number}"), "description": "When lost", "body": "Look." })
}

async fn save(owner: &Person<'_>, agent_id: &str, body: Value) -> Answer {
    owner.post(&versions(agent_id), body).await
}

async fn upload(owner: &Person<'_>, agent_id: &str, query: &str, content: &[u8]) -> Answer {
    let path = format!("{}/knowledge-files{query}", one(agent_id));
    let request = owner.request("POST", &path).header("content-type", "text/markdown");
    send(request.body(content.to_vec())).await
}

/// JSON by RFC 8785, for what these definitions hold: ASCII keys, texts, integers.
fn canonical(value: &Value) -> String {
    match value {
        Value::Object(map) => {
            let sorted: std::collections::BTreeMap<_, _> = map.iter().collect();
            let members = sorted.iter().map(|(key, value)| format!("{key:?}:{}", canonical(value)));
            format!("{{{}}}", members.collect::<Vec<_>>().join(","))
        }
        Value::Array(items) => {
            format!("[{}]", items.iter().map(canonical).collect::<Vec<_>>().join(","))
        }
        scalar => scalar.to_string(),
    }
}

/// "`agent_id`, version, `agent_md`, `bundle_digest`, skills, knowledge, settings (same shape as in the request)"
async fn a_version_has_the_fields_of_the_contract(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.create_hosted_agent("scout").await;
    let file = upload(&ada, &agent, "?name=cats.md", b"All cats are grey.").await.expect(201);
    let settings = json!({
        "model": "small", "web_search": true, "network_allowlist": ["api.example.com"],
        "compute_cap_micros": "2500000",
    });
    let body = json!({
        "agent_md": "# Scout\nFind it.", "settings": settings, "skills": [skill(1), skill(2)],
        "knowledge_file_ids": [file["file_id"]],
    });
    let saved = save(&ada, &agent, body).await.expect(201);
    assert_eq!((&saved["agent_id"], &saved["version"]), (&json!(agent), &json!(1)));
    assert_eq!(saved["agent_md"], "# Scout\nFind it.");
    assert_eq!(saved["settings"], settings);
    assert_eq!(saved["skills"], json!([skill(1), skill(2)]));
    assert_eq!(saved["knowledge"], json!([file]));
    let digest = saved["bundle_digest"].as_str().unwrap();
    assert!(digest.len() == 64 && digest.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')));
    let least = save(&ada, &agent, definition()).await.expect(201);
    assert_eq!((&least["skills"], &least["knowledge"]), (&json!([]), &json!([])));
    let settings = json!({ "model": "small", "web_search": false, "network_allowlist": [] });
    assert_eq!(least["settings"], settings);
}

/// "Saves a hosted-agent definition version."
async fn versions_count_up(server: Server) {
    let ada = server.person("ada").await;
    let (first, second) = (ada.create_hosted_agent("a").await, ada.create_hosted_agent("b").await);
    for (agent, version) in [(&first, 1), (&first, 2), (&second, 1), (&first, 3)] {
        let saved = save(&ada, agent, definition()).await.expect(201);
        assert_eq!(saved["version"], version);
    }
    save(&ada, &first, json!({})).await.refused(400, "invalid_request");
    let saved = save(&ada, &first, definition()).await.expect(201);
    assert_eq!(saved["version"], 4, "a refused one takes no number");
}

/// "`bundle_digest` = SHA-256 of the RFC 8785 JSON"
async fn the_digest_is_that_of_the_canonical_json(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.create_hosted_agent("scout").await;
    let body = json!({
        "skills": [{ "name": "search", "body": "Look.\n", "description": "When lost" }],
        "settings": {
            "web_search": true, "compute_cap_micros": "2500000", "model": "small",
            "network_allowlist": ["api.example.com"],
        },
        "agent_md": "# Scout\nFind \"it\".",
    });
    let saved = save(&ada, &agent, body.clone()).await.expect(201);
    // The SHA-256 of {"agent_md":"# Scout\nFind \"it\".","knowledge":[],"settings":{"compute_cap_micros":…}, …}.
    let expected = "d78b01284fc47fc893c778a666d8277cdf45a12a7405b1e9f5ddd81a0563d5fa";
    assert_eq!(saved["bundle_digest"], expected);
    let again = save(&ada, &agent, body.clone()).await.expect(201);
    assert_eq!(again["bundle_digest"], expected, "the same definition, whatever its number");
    let other = ada.create_hosted_agent("other").await;
    let other = save(&ada, &other, body.clone()).await.expect(201);
    assert_eq!(other["bundle_digest"], expected, "the same definition, whoever's");
    for (place, value) in [
        ("/agent_md", json!("# Scout")),
        ("/settings/model", json!("large")),
        ("/settings/web_search", json!(false)),
        ("/skills/0/body", json!("Look!")),
    ] {
        let mut changed = body.clone();
        *changed.pointer_mut(place).unwrap() = value;
        let changed = save(&ada, &agent, changed).await.expect(201);
        assert_ne!(changed["bundle_digest"], expected, "{place}");
    }
}

/// "knowledge {`file_id`, name, `media_type`, size, sha256}" is part of what the digest names.
async fn the_digest_names_the_knowledge(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.create_hosted_agent("scout").await;
    let mut files = Vec::new();
    for name in ["one.md", "two.md"] {
        let query = format!("?name={name}");
        files.push(upload(&ada, &agent, &query, name.as_bytes()).await.expect(201));
    }
    for order in [[0, 1], [1, 0]] {
        let knowledge = json!(order.map(|index| &files[index]));
        let mut body = definition();
        body["knowledge_file_ids"] = json!(order.map(|index| &files[index]["file_id"]));
        let saved = save(&ada, &agent, body).await.expect(201);
        assert_eq!(saved["knowledge"], knowledge, "in the order of the request");
        let bundle = canonical(&json!({
            "agent_md": saved["agent_md"], "knowledge": knowledge, "settings": saved["settings"],
            "skills": saved["skills"],
        }));
        let digest = guildhall_core::canonical::hex(&guildhall_ops::digest(bundle.as_bytes()));
        assert_eq!(saved["bundle_digest"], digest, "{bundle}");
    }
}

/// "only for hosted agents (409 `conflict` otherwise)"
async fn only_hosted_agents_have_versions(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.create_agent("scout").await;
    save(&ada, &agent, definition()).await.refused(409, "conflict");
    upload(&ada, &agent, "?name=a", b"a").await.refused(409, "conflict");
    let retired = ada.create_hosted_agent("gone").await;
    save(&ada, &retired, definition()).await.expect(201);
    ada.post(&format!("{}/retire", one(&retired)), json!({})).await.expect(200);
    save(&ada, &retired, definition()).await.refused(409, "conflict");
    upload(&ada, &retired, "?name=a", b"a").await.refused(409, "conflict");
}

/// "`agent_md` and settings.model required"
async fn instructions_and_model_are_required(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.create_hosted_agent("scout").await;
    for (body, named) in [
        (json!({ "settings": { "model": "small" } }), "agent_md"),
        (json!({ "agent_md": "# Scout" }), "settings"),
        (json!({ "agent_md": "# Scout", "settings": {} }), "model"),
        (json!({ "agent_md": "", "settings": { "model": "small" } }), "agent_md"),
        (json!({ "agent_md": "# Scout", "settings": { "model": "" } }), "settings.model"),
        (json!({ "agent_md": "# Scout", "settings": { "model": null } }), "settings.model"),
        (json!({ "agent_md": 7, "settings": { "model": "small" } }), "agent_md"),
    ] {
        let reason = save(&ada, &agent, body).await.refused(400, "invalid_request");
        assert!(reason.contains(named), "{named} in {reason}");
    }
    assert_eq!(ada.get(&versions(&agent)).await.expect(200)["data"], json!([]));
}

/// "hosted `agent_md` / skills / skill body / knowledge files per version: 128 KiB / 32 / 64 KiB / 64"
async fn a_definition_has_bounds(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.create_hosted_agent("scout").await;
    let with = |place: &str, value: Value| {
        let mut body = json!({
            "agent_md": "# Scout", "settings": { "model": "small" }, "skills": [skill(0)],
            "knowledge_file_ids": [],
        });
        match place.rsplit_once('/') {
            Some((above, name)) => body.pointer_mut(above).unwrap()[name] = value,
            None => unreachable!("a pointer"),
        }
        body
    };
    let ids: Vec<_> = (0..65).map(|number| format!("file_{number:032x}")).collect();
    let many: Vec<_> = (0..33).map(skill).collect();
    let hosts: Vec<_> = (0..65).map(|number| format!("h{number}.example.com")).collect();
    for (place, value, named) in [
        ("/agent_md", json!("a".repeat(131_073)), "agent_md"),
        ("/agent_md", json!("bell\u{7}"), "agent_md"),
        ("/skills", json!(many), "skills"),
        ("/skills/0/body", json!("b".repeat(65_537)), "skills[0].body"),
        ("/skills/0/name", json!(""), "skills[0].name"),
        ("/skills/0/code", json!("rm"), "skills[0].code"),
        ("/knowledge_file_ids", json!(ids), "knowledge_file_ids"),
        ("/knowledge_file_ids", json!(["cats.md"]), "knowledge_file_ids[0]"),
        ("/settings/network_allowlist", json!(hosts), "settings.network_allowlist"),
        ("/settings/network_allowlist", json!(["a\nb"]), "settings.network_allowlist[0]"),
        ("/settings/network_allowlist", json!("*"), "settings.network_allowlist"),
        ("/settings/compute_cap_micros", json!(5), "settings.compute_cap_micros"),
        ("/settings/web_search", json!("yes"), "settings.web_search"),
        ("/settings/temperature", json!(1), "settings.temperature"),
        ("/version", json!(7), "version"),
    ] {
        let reason = save(&ada, &agent, with(place, value)).await.refused(400, "invalid_request");
        assert!(reason.starts_with(named), "{named} in {reason}");
    }
    for (place, value) in [
        ("/agent_md", json!("a".repeat(131_072))),
        ("/skills", json!(many[..32])),
        ("/skills/0/body", json!("b".repeat(65_536))),
        ("/settings/network_allowlist", json!(hosts[..64])),
    ] {
        let saved = save(&ada, &agent, with(place, value.clone())).await.expect(201);
        assert_eq!(saved.pointer(place), Some(&value), "{place}");
    }
    // Sixty-four files are few enough; that they are nobody's comes after.
    let body = with("/knowledge_file_ids", json!(ids[..64]));
    let reason = save(&ada, &agent, body).await.refused(400, "invalid_request");
    assert!(reason.starts_with("knowledge_file_ids[0]: "), "{reason}");
}

/// "`knowledge_file_ids`: array of string": each a file of this agent, named once; the reason names which is not.
async fn knowledge_is_the_agents_own(server: Server) {
    let (ada, eve) = (server.person("ada").await, server.person("eve").await);
    let agent = ada.create_hosted_agent("scout").await;
    let sibling = ada.create_hosted_agent("sibling").await;
    let foreign = eve.create_hosted_agent("spy").await;
    let id = |answer: Answer| answer.expect(201)["file_id"].as_str().unwrap().to_owned();
    let own = id(upload(&ada, &agent, "?name=a", b"a").await);
    let siblings = id(upload(&ada, &sibling, "?name=a", b"a").await);
    let eves = id(upload(&eve, &foreign, "?name=a", b"a").await);
    let unknown = format!("file_{}", "0".repeat(32));
    for wrong in [&siblings, &eves, &unknown, &own] {
        let mut body = definition();
        body["knowledge_file_ids"] = json!([own, wrong]);
        let reason = save(&ada, &agent, body).await.refused(400, "invalid_request");
        assert!(reason.starts_with("knowledge_file_ids[1]: "), "{reason}");
    }
    let mut body = definition();
    body["knowledge_file_ids"] = json!([own]);
    assert_eq!(save(&ada, &agent, body).await.expect(201)["version"], 1);
}

/// "listHostedVersions / getHostedVersion: GET …/hosted/versions, …/hosted/versions/{version}: 200"
async fn versions_are_listed_and_read(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.create_hosted_agent("scout").await;
    let first = save(&ada, &agent, definition()).await.expect(201);
    let second = save(&ada, &agent, definition()).await.expect(201);
    let listed = ada.get(&versions(&agent)).await.expect(200);
    assert_eq!(listed, json!({ "data": [second, first], "next_page": null }));
    for version in [first, second] {
        let path = format!("{}/{}", versions(&agent), version["version"]);
        assert_eq!(ada.get(&path).await.expect(200), version);
    }
}

/// "A resource that the caller may not see is 404": a version that is not there is not found.
async fn a_version_that_is_not_there_is_not_found(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.create_hosted_agent("scout").await;
    save(&ada, &agent, definition()).await.expect(201);
    for number in ["0", "2", "1000"] {
        ada.get(&format!("{}/{number}", versions(&agent))).await.refused(404, "not_found");
    }
    for number in ["one", "-1", "1.0", "99999999999"] {
        let path = format!("{}/{number}", versions(&agent));
        ada.get(&path).await.refused(400, "invalid_request");
    }
}

/// "A resource that the caller may not see is 404, never 403."
async fn hosted_agents_of_others_are_not_found(server: Server) {
    let (ada, eve) = (server.person("ada").await, server.person("eve").await);
    let agent = ada.create_hosted_agent("scout").await;
    let file = upload(&ada, &agent, "?name=a", b"a").await.expect(201);
    save(&ada, &agent, definition()).await.expect(201);
    save(&eve, &agent, definition()).await.refused(404, "not_found");
    upload(&eve, &agent, "?name=a", b"a").await.refused(404, "not_found");
    let files = format!("{}/knowledge-files", one(&agent));
    let file = format!("{files}/{}", file["file_id"].as_str().unwrap());
    for path in [versions(&agent), format!("{}/1", versions(&agent)), files.clone()] {
        eve.get(&path).await.refused(404, "not_found");
    }
    eve.send("DELETE", &file, json!({})).await.refused(404, "not_found");
    assert_eq!(ada.get(&files).await.expect(200)["data"].as_array().unwrap().len(), 1);
}

/// "`agent_id`: string, pattern ^[A-Za-z0-9_-]{1,128}$"
async fn the_agent_id_has_a_pattern(server: Server) {
    let ada = server.person("ada").await;
    for malformed in ["a".repeat(129).as_str(), "a.b", "a%20b"] {
        let reason = save(&ada, malformed, definition()).await.refused(400, "invalid_request");
        assert!(reason.starts_with("agent_id: "), "{reason}");
        ada.get(&versions(malformed)).await.refused(400, "invalid_request");
    }
    for well_formed in ["a".repeat(128).as_str(), "scout"] {
        save(&ada, well_formed, definition()).await.refused(404, "not_found");
        ada.get(&versions(well_formed)).await.refused(404, "not_found");
    }
}

/// "Auth: account session"; "Header: Idempotency-Key (required)"
async fn a_version_is_saved_by_a_session(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.create_hosted_agent("scout").await;
    let worker = ada.agent("worker").await;
    worker.send("POST", &versions(&agent), definition()).await.refused(403, "forbidden");
    let request = server.request("POST", &versions(&agent)).json(&definition());
    send(request.try_clone().unwrap()).await.refused(401, "unauthorized");
    let reason = send(request.bearer_auth(&ada.token)).await.refused(400, "invalid_request");
    assert!(reason.contains("Idempotency-Key"), "{reason}");
    assert_eq!(ada.get(&versions(&agent)).await.expect(200)["data"], json!([]));
}

/// "knowledge upload is a raw body with `?name=`"; "201 {`file_id`, name, `media_type`, size, sha256}"
async fn a_file_is_uploaded_as_it_is(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.create_hosted_agent("scout").await;
    let file =
        upload(&ada, &agent, "?name=grey%20cats.md", b"All cats are grey.").await.expect(201);
    assert_id(&file["file_id"], "file_");
    let expected = json!({
        "file_id": file["file_id"], "name": "grey cats.md", "media_type": "text/markdown", "size": 18,
        "sha256": "af3b40f02f33e291848c8f50dfbb1101c5a00e8fa8ea2e1e66819eec6d69f06e",
    });
    assert_eq!(file, expected);
    let path = format!("{}/knowledge-files?name=raw", one(&agent));
    let raw = send(ada.request("POST", &path).body(vec![0, 159, 146, 150])).await.expect(201);
    assert_eq!((&raw["media_type"], &raw["size"]), (&json!("application/octet-stream"), &json!(4)));
}

/// "listKnowledgeFiles: GET …/knowledge-files"
async fn files_are_listed_newest_first(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.create_hosted_agent("scout").await;
    let first = upload(&ada, &agent, "?name=one", b"1").await.expect(201);
    let second = upload(&ada, &agent, "?name=two", b"2").await.expect(201);
    let listed = ada.get(&format!("{}/knowledge-files", one(&agent))).await.expect(200);
    assert_eq!(listed, json!({ "data": [second, first], "next_page": null }));
}

/// "deleteKnowledgeFile: DELETE …/knowledge-files/{file_id}": new versions cannot quote it, old ones keep what they quote.
async fn a_deleted_file_stays_in_old_versions_alone(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.create_hosted_agent("scout").await;
    let file = upload(&ada, &agent, "?name=cats.md", b"grey").await.expect(201);
    let mut body = definition();
    body["knowledge_file_ids"] = json!([file["file_id"]]);
    let saved = save(&ada, &agent, body.clone()).await.expect(201);
    let files = format!("{}/knowledge-files", one(&agent));
    let path = format!("{files}/{}", file["file_id"].as_str().unwrap());
    assert_eq!(ada.send("DELETE", &path, json!({})).await.expect(200), file);
    assert_eq!(ada.get(&files).await.expect(200)["data"], json!([]));
    let reason = save(&ada, &agent, body).await.refused(400, "invalid_request");
    assert!(reason.starts_with("knowledge_file_ids[0]: "), "{reason}");
    assert_eq!(ada.get(&format!("{}/1", versions(&agent))).await.expect(200), saved);
    ada.send("DELETE", &path, json!({})).await.refused(404, "not_found");
    let malformed = format!("{files}/cats.md");
    ada.send("DELETE", &malformed, json!({})).await.refused(400, "invalid_request");
}

/// "a raw body with `?name=`"
async fn a_file_has_a_name(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.create_hosted_agent("scout").await;
    let long = format!("?name={}", "n".repeat(256));
    for query in ["", "?name=", "?name=%20", "?name=a%0Ab", "?name=a&name=b", long.as_str()] {
        let reason = upload(&ada, &agent, query, b"a").await.refused(400, "invalid_request");
        assert!(reason.contains("name"), "{reason}");
    }
    upload(&ada, &agent, &long[..long.len() - 1], b"a").await.expect(201);
}

/// "unknown query parameters are 400": size, digest and media type are measured, not believed.
async fn the_facts_of_a_file_are_not_the_senders_to_say(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.create_hosted_agent("scout").await;
    let zeros = "0".repeat(64);
    for fact in [
        format!("sha256={zeros}"),
        "size=1".to_owned(),
        "media_type=text/html".to_owned(),
        "x=1".to_owned(),
    ] {
        for query in [format!("?name=a&{fact}"), format!("?{fact}&name=a")] {
            upload(&ada, &agent, &query, b"abc").await.refused(400, "invalid_request");
        }
    }
    let files = format!("{}/knowledge-files", one(&agent));
    assert_eq!(ada.get(&files).await.expect(200)["data"], json!([]));
}

/// "JSON body 1 MiB; a file upload 32 MiB" (here: sixteen bytes)
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_that_is_too_large_is_refused() {
    for engine in [Engine::Sqlite, Engine::Postgres] {
        let setup = Setup { max_upload_bytes: 16, ..Setup::default() };
        let server = Server::start_with(engine, setup).await;
        let ada = server.person("ada").await;
        let agent = ada.create_hosted_agent("scout").await;
        upload(&ada, &agent, "?name=a", &[7; 17]).await.refused(413, "payload_too_large");
        assert_eq!(upload(&ada, &agent, "?name=a", &[7; 16]).await.expect(201)["size"], 16);
    }
}

/// "an account's stored files 2 GiB" (here: ten bytes)
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_account_has_so_much_room_for_files() {
    for engine in [Engine::Sqlite, Engine::Postgres] {
        let setup = Setup { account_quota_bytes: 10, ..Setup::default() };
        let server = Server::start_with(engine, setup).await;
        let (ada, eve) = (server.person("ada").await, server.person("eve").await);
        let (first, second) =
            (ada.create_hosted_agent("a").await, ada.create_hosted_agent("b").await);
        let six = upload(&ada, &first, "?name=six", &[1; 6]).await.expect(201);
        upload(&ada, &second, "?name=five", &[2; 5]).await.refused(413, "payload_too_large");
        upload(&ada, &second, "?name=four", &[3; 4]).await.expect(201);
        upload(&ada, &first, "?name=one", &[4; 1]).await.refused(413, "payload_too_large");
        let other = eve.create_hosted_agent("c").await;
        upload(&eve, &other, "?name=ten", &[5; 10]).await.expect(201);
        let path = format!("{}/knowledge-files/{}", one(&first), six["file_id"].as_str().unwrap());
        ada.send("DELETE", &path, json!({})).await.expect(200);
        upload(&ada, &second, "?name=five", &[2; 5]).await.expect(201);
    }
}

/// "an account's stored files 2 GiB" (here: ten bytes), also when they come at the same time and for several agents.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_two_uploads_share_the_last_room() {
    for engine in [Engine::Sqlite, Engine::Postgres] {
        let setup = Setup { account_quota_bytes: 10, ..Setup::default() };
        let server = Server::start_with(engine, setup).await;
        let ada = server.person("ada").await;
        let mut uploads = Vec::new();
        for number in 0..6 {
            let agent = ada.create_hosted_agent(&format!("agent {number}")).await;
            let path = format!("{}/knowledge-files?name=six", one(&agent));
            uploads.push(ada.request("POST", &path).body(vec![number; 6]));
        }
        assert_eq!(all_at_once(uploads).await, [201, 413, 413, 413, 413, 413], "{engine:?}");
    }
}
