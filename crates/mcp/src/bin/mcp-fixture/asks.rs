//! Tools and a prompt that ask their client for something before they answer.

use guildhall_core::canonical::hex;
use guildhall_ops::digest;
use rmcp::ErrorData;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ClientCapabilities, GetPromptRequestParams,
    GetPromptResponse, InputRequiredResult, InputResponses,
};
use serde_json::{Map, Value, json};

use crate::made;

/// What a client sent with its call.
struct Sent<'a> {
    responses: Option<&'a InputResponses>,
    state: Option<&'a str>,
}

/// A question of one round, and the state that goes along.
struct Round {
    requests: Value,
    state: Option<&'static str>,
}

/// The answer of a tool that asks, or nothing for one that does not.
pub(crate) fn of_tool(
    request: &CallToolRequestParams,
    declared: Option<ClientCapabilities>,
) -> Option<Result<CallToolResponse, ErrorData>> {
    let name = request.name.strip_prefix("test_input_required_result_")?;
    let declared = declared.map(|all| json!(all)).unwrap_or_default();
    let sent = Sent {
        responses: request.input_responses.as_ref(),
        state: request.request_state.as_deref(),
    };
    Some(played(&rounds(name, &declared)?, &sent).and_then(|end| match end {
        End::Ask(asked) => Ok((*asked).into()),
        End::Done(words) => {
            let content = json!([{ "type": "text", "text": words }]);
            let result = json!({ "resultType": "complete", "content": content });
            Ok(CallToolResponse::Complete(made(result)?))
        }
    }))
}

/// The same of a prompt.
pub(crate) fn of_prompt(
    request: &GetPromptRequestParams,
) -> Option<Result<GetPromptResponse, ErrorData>> {
    if request.name != "test_input_required_result_prompt" {
        return None;
    }
    let question = form("What context should the prompt use?", "context", "string");
    let rounds = [Round { requests: json!({ "user_context": question }), state: None }];
    let sent = Sent { responses: request.input_responses.as_ref(), state: None };
    Some(played(&rounds, &sent).and_then(|end| match end {
        End::Ask(asked) => Ok(GetPromptResponse::InputRequired(*asked)),
        End::Done(words) => {
            let message = json!({ "role": "user", "content": { "type": "text", "text": words } });
            let result = json!({ "resultType": "complete", "messages": [message] });
            Ok(GetPromptResponse::Complete(made(result)?))
        }
    }))
}

fn form(message: &str, field: &str, kind: &str) -> Value {
    json!({ "method": "elicitation/create", "params": {
        "mode": "form", "message": message,
        "requestedSchema": {
            "type": "object", "properties": { field: { "type": kind } }, "required": [field],
        },
    } })
}

fn sampling(text: &str) -> Value {
    let message = json!({ "role": "user", "content": { "type": "text", "text": text } });
    json!({ "method": "sampling/createMessage", "params": { "messages": [message], "maxTokens": 100 } })
}

/// What a tool asks, round by round.
fn rounds(tool: &str, declared: &Value) -> Option<Vec<Round>> {
    let roots = json!({ "method": "roots/list" });
    let name = form("What is your name?", "name", "string");
    let once = |requests: Value, state| vec![Round { requests, state }];
    Some(match tool {
        "elicitation" => once(json!({ "user_name": name }), None),
        "sampling" => {
            once(json!({ "capital_question": sampling("What is the capital of France?") }), None)
        }
        "list_roots" => once(json!({ "client_roots": roots }), None),
        "request_state" | "tampered_state" => {
            once(json!({ "confirm": form("Please confirm", "ok", "boolean") }), Some("confirm"))
        }
        "multiple_inputs" => {
            let greeting = sampling("Generate a greeting");
            let all = json!({ "user_name": name, "greeting": greeting, "client_roots": roots });
            once(all, Some("all"))
        }
        "multi_round" => vec![
            Round {
                requests: json!({ "step1": form("Step 1: What is your name?", "name", "string") }),
                state: Some("1"),
            },
            Round {
                requests: json!({ "step2": form("Step 2: What is your favorite color?", "color", "string") }),
                state: Some("2"),
            },
        ],
        "capabilities" => {
            let known =
                [("elicitation", name), ("sampling", sampling("Say hello")), ("roots", roots)];
            let able = known.into_iter().filter(|(what, _)| declared[*what].is_object());
            once(
                able.map(|(what, asked)| (what.to_owned(), asked)).collect::<Map<_, _>>().into(),
                Some("able"),
            )
        }
        _ => return None,
    })
}

enum End {
    Ask(Box<InputRequiredResult>),
    Done(String),
}

/// Where the rounds stand after what the client has sent.
fn played(rounds: &[Round], sent: &Sent<'_>) -> Result<End, ErrorData> {
    let at = match sent.state {
        None => rounds.first(),
        Some(sent) => rounds.iter().find(|round| round.state.is_some_and(|it| sealed(it) == sent)),
    };
    let wrong = || ErrorData::invalid_params("requestState: is not what was given.", None);
    let round = at.ok_or_else(wrong)?;
    let given = sent.responses.is_some_and(|responses| answers(&round.requests, responses));
    if !given || (round.state.is_some() && sent.state.is_none()) {
        return ask(round);
    }
    let place = rounds.iter().position(|other| std::ptr::eq(other, round));
    if let Some(next) = place.and_then(|place| rounds.get(place + 1)) {
        return ask(next);
    }
    let said = json!(sent.responses);
    let name = said["user_name"]["content"]["name"].as_str().unwrap_or("you");
    Ok(End::Done(format!("Hello, {name}! state-ok {said}")))
}

fn ask(round: &Round) -> Result<End, ErrorData> {
    let mut asked = json!({ "resultType": "input_required", "inputRequests": round.requests });
    if let Some(state) = round.state {
        asked["requestState"] = sealed(state).into();
    }
    Ok(End::Ask(Box::new(made(asked)?)))
}

/// A state that only this program gives.
fn sealed(state: &str) -> String {
    let proof = digest(format!("mcp-fixture {state}").as_bytes());
    format!("{state}.{}", hex(&proof))
}

/// Whether every question has an answer of the right kind.
fn answers(requests: &Value, responses: &InputResponses) -> bool {
    let mut asked = requests.as_object().into_iter().flatten();
    asked.all(|(key, request)| {
        let Some(response) = responses.get(key) else { return false };
        match request["method"].as_str() {
            Some("elicitation/create") => {
                let field = request["params"]["requestedSchema"]["required"][0].as_str();
                let kind = &request["params"]["requestedSchema"]["properties"];
                let value = field.map(|field| (&response["content"][field], &kind[field]["type"]));
                value.is_some_and(|(value, kind)| match kind.as_str() {
                    Some("boolean") => value.is_boolean(),
                    _ => value.is_string(),
                })
            }
            Some("roots/list") => response["roots"].is_array(),
            _ => response["content"].is_object() || response["content"].is_array(),
        }
    })
}
