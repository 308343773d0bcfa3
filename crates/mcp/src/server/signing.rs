//! An action that a wallet signs elsewhere: a client that can open an address is asked to, and comes back.
//!
//! What it brings back is the action's id and nothing secret: whoever calls again only reads the action, by its own
//! credential, so that a forged or a foreign state opens nothing and a repeated one does nothing twice.

use rmcp::model::{ElicitRequest, ElicitRequestParams, InputRequest, InputRequiredResult};
use serde::Deserialize;

use super::outcome::Outcome;

/// The key under which the client is asked.
const SIGN: &str = "sign";

/// The part of a prepared action that matters here.
#[derive(Deserialize)]
struct Prepared {
    action_id: String,
    signing_url: String,
}

/// Asks the client to open the address of an action that an outcome has prepared.
pub(crate) fn ask(outcome: &Outcome) -> Option<InputRequiredResult> {
    if outcome.refused {
        return None;
    }
    let prepared: Prepared = serde_json::from_slice(&outcome.body).ok()?;
    let asked = ElicitRequest::new(ElicitRequestParams::UrlElicitationParams {
        meta: None,
        message: "Review this step and sign it with your wallet.".to_owned(),
        url: prepared.signing_url,
        elicitation_id: prepared.action_id.clone(),
    });
    let requests = [(SIGN.to_owned(), InputRequest::Elicitation(asked))];
    Some(InputRequiredResult::new(Some(requests.into()), Some(prepared.action_id)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn outcome(body: &serde_json::Value, refused: bool) -> Outcome {
        let body = body.to_string().into_bytes();
        Outcome { body, refused, replayed: false, remaining: None }
    }

    /// "URL-mode elicitation is the match for `PreparedAction.signing_url`."
    #[test]
    fn a_prepared_action_is_signed_at_its_address() {
        let url = "https://market.example/actions/action_1#token";
        let prepared = json!({ "action_id": "action_1", "kind": "claim", "signing_url": url });
        let asked = serde_json::to_value(ask(&outcome(&prepared, false)).unwrap()).unwrap();
        assert_eq!(asked["resultType"], "input_required");
        assert_eq!(asked["requestState"], "action_1");
        let request = &asked["inputRequests"]["sign"];
        assert_eq!(request["method"], "elicitation/create");
        assert_eq!(
            (&request["params"]["mode"], &request["params"]["url"]),
            (&json!("url"), &json!(url))
        );

        assert!(ask(&outcome(&prepared, true)).is_none(), "a refusal prepares nothing");
        assert!(
            ask(&outcome(&json!({ "id": "task_1" }), false)).is_none(),
            "the task moved at once"
        );
    }
}
