use super::*;
use crate::agent::Visibility;
use crate::{AccountId, AgentId, Timestamp};

const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);
const PLACE: Place<'static> = Place {
    base_url: "https://market.example",
    auth_url: "https://id.example",
    version: "2026-11-01",
};

fn agent(skills: &[&str]) -> Agent {
    Agent {
        agent_id: AgentId::new(NOW, 0, 1),
        account_id: AccountId::new(NOW, 0, 1),
        name: "Ada \"the\" Scout".to_owned(),
        description: "Draws maps.\n\u{20ac}".to_owned(),
        skills: skills.iter().map(|&skill| skill.to_owned()).collect(),
        hosted: false,
        visibility: Visibility::Published,
        paused: false,
        card_source_url: None,
        payout_wallet: None,
        created_at: NOW,
        updated_at: NOW,
        retired_at: None,
        revision: 0,
    }
}

fn owners() -> Value {
    json!({
        "name": "Scout", "description": "Maps.", "version": "4.2.0",
        "supportedInterfaces": [{
            "url": "https://scout.example/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0",
        }],
        "capabilities": { "streaming": true, "extensions": [{ "uri": "https://x.example", "params": { "n": 1.5 } }] },
        "defaultInputModes": ["text/plain"], "defaultOutputModes": ["image/png"],
        "skills": [{ "id": "maps", "name": "Maps", "description": "Draws them.", "tags": [] }],
        "securitySchemes": { "key": { "apiKeySecurityScheme": { "location": "header", "name": "X-Scout" } } },
        "securityRequirements": [{ "schemes": { "key": { "list": [] } } }],
    })
}

fn read(card: &Value) -> Result<Source, String> {
    Source::read(&card.to_string(), false)
}

/// "JWS over RFC 8785 JCS of the card without `signatures`": the very bytes, written by hand.
#[test]
fn what_is_signed_is_the_canonical_card() {
    let source = read(&owners()).unwrap();
    let card = Card::of_agent(&agent(&["Maps"]), PLACE, 3, Some(&source));
    let id = AgentId::new(NOW, 0, 1);
    let expected = [
        r#"{"capabilities":{"pushNotifications":false,"streaming":true},"#,
        r#""defaultInputModes":["text/plain"],"defaultOutputModes":["image/png"],"#,
        "\"description\":\"Draws maps.\\n\u{20ac}\",",
        &format!(r#""documentationUrl":"https://market.example/v1/agents/{id}","#),
        r#""name":"Ada \"the\" Scout","#,
        r#""provider":{"organization":"Guildhall","url":"https://market.example"},"#,
        r#""securityRequirements":[{"schemes":{"key":{"list":[]}}}],"#,
        r#""securitySchemes":{"key":{"apiKeySecurityScheme":{"location":"header","name":"X-Scout"}}},"#,
        r#""skills":[{"description":"Takes tasks that ask for Maps.","id":"maps","name":"Maps","tags":["maps"]}],"#,
        r#""supportedInterfaces":[{"protocolBinding":"JSONRPC","protocolVersion":"1.0","url":"https://scout.example/a2a"}],"#,
        r#""version":"4.2.0"}"#,
    ]
    .concat();
    assert_eq!(card.payload().unwrap(), expected);
    let signature = Signature { protected: "a".to_owned(), signature: "b".to_owned() };
    assert_eq!(card.signed(signature).payload().unwrap(), expected, "no signature signs itself");
}

/// "do not claim JSONRPC": the service names its own protocols, and its own schemes.
#[test]
fn the_service_claims_no_binding_that_it_does_not_speak() {
    for card in [Card::of_service(PLACE), Card::of_agent(&agent(&[]), PLACE, 3, None)] {
        let card = serde_json::to_value(card).unwrap();
        assert_eq!(
            card["supportedInterfaces"],
            json!([
                { "url": "https://market.example/mcp", "protocolBinding": "https://modelcontextprotocol.io",
                  "protocolVersion": "2025-11-25" },
                { "url": "https://market.example/v1",
                  "protocolBinding": "https://market.example/openapi.json", "protocolVersion": "2026-11-01" },
            ])
        );
        assert_eq!(card["capabilities"], json!({ "streaming": false, "pushNotifications": false }));
        let schemes = &card["securitySchemes"];
        assert_eq!(schemes["apiKey"]["apiKeySecurityScheme"]["name"], "X-Api-Key");
        assert_eq!(
            schemes["oauth2"]["oauth2SecurityScheme"]["oauth2MetadataUrl"],
            "https://id.example/.well-known/oauth-authorization-server/api/auth"
        );
        for list in ["defaultInputModes", "defaultOutputModes", "skills"] {
            assert!(!card[list].as_array().unwrap().is_empty(), "{list}");
        }
    }
}

/// A key of this service must never be sent to an endpoint of somebody else.
#[test]
fn an_endpoint_of_the_owners_is_not_named_with_the_services_schemes() {
    let mut bare = owners();
    bare.as_object_mut().unwrap().remove("securitySchemes");
    bare.as_object_mut().unwrap().remove("securityRequirements");
    let source = read(&bare).unwrap();
    let card = Card::of_agent(&agent(&[]), PLACE, 1, Some(&source)).payload().unwrap();
    assert!(!card.contains("X-Api-Key") && !card.contains("oauth2"), "{card}");
    assert!(!card.contains("securitySchemes") && !card.contains("market.example/mcp"), "{card}");
}

/// "skills (from the agent's skills: id, name, description, tags)", each with an id of its own.
#[test]
fn every_skill_has_an_id_of_its_own() {
    let ids = |names: &[&str]| -> Vec<String> {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        skills_of(&names).into_iter().map(|skill| skill.id).collect()
    };
    assert_eq!(
        ids(&["Maps & Charts", "maps", "MAPS", "日本語"]),
        ["maps-charts", "maps", "skill-3", "skill-4"]
    );
    assert_eq!(ids(&[]), ["tasks"]);
}

/// "`AgentCard` required: name, description, `supportedInterfaces`, version, capabilities, modes, skills": each is missed.
#[test]
fn an_owners_card_needs_what_a2a_requires() {
    assert!(read(&owners()).is_ok());
    for name in [
        "name",
        "description",
        "version",
        "supportedInterfaces",
        "capabilities",
        "defaultInputModes",
        "defaultOutputModes",
        "skills",
    ] {
        let mut card = owners();
        card.as_object_mut().unwrap().remove(name);
        assert_eq!(read(&card).unwrap_err(), format!("its `{name}` is missing"));
        card[name] = json!(7);
        assert!(read(&card).unwrap_err().contains(name), "{name}");
    }
    for text in ["", "[]", "no card", "{\"name\":"] {
        assert_eq!(Source::read(text, false).unwrap_err(), "it is not a JSON object");
    }
}

/// "SSRF through metadata … agent `card_url`": the service vouches for no address that only it could reach.
#[test]
fn an_owners_endpoint_is_a_public_one() {
    for url in [
        "http://scout.example/a2a",
        "https://127.0.0.1/a2a",
        "https://[::ffff:10.0.0.1]/",
        "https://169.254.169.254/latest",
        "https://0177.0.0.1/",
        "https://user@scout.example/",
        "scout.example:443",
        "javascript:alert(1)",
    ] {
        let mut card = owners();
        card["supportedInterfaces"][0]["url"] = json!(url);
        assert!(read(&card).unwrap_err().contains("supportedInterfaces"), "{url}");
    }
    let mut card = owners();
    card["supportedInterfaces"] = json!([]);
    assert_eq!(read(&card).unwrap_err(), "its `supportedInterfaces` are none");
}

/// Nothing is signed that two readers could write down differently.
#[test]
fn schemes_are_texts_of_a_known_form() {
    let too_deep = (0..9).fold(json!("x"), |inner, _| json!({ "a": inner }));
    for scheme in [
        json!("key"),
        json!({}),
        json!({ "magic": {} }),
        json!({ "mtlsSecurityScheme": {}, "httpAuthSecurityScheme": {} }),
        json!({ "mtlsSecurityScheme": { "description": 1.5 } }),
        json!({ "mtlsSecurityScheme": { "description": null } }),
        json!({ "mtlsSecurityScheme": too_deep }),
    ] {
        let mut card = owners();
        card["securitySchemes"]["key"] = scheme.clone();
        assert!(read(&card).unwrap_err().contains("securitySchemes"), "{scheme}");
    }
}

/// What was read is kept as JSON and comes back as it was.
#[test]
fn what_was_read_survives_being_kept() {
    let source = read(&owners()).unwrap();
    let kept = serde_json::to_string(&source).unwrap();
    assert_eq!(serde_json::from_str::<Source>(&kept).unwrap(), source);
}
