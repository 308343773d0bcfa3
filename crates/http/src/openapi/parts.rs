//! What several operations share.

use guildhall_ops::VERSIONS;
use serde_json::{Value, json};

/// Headers of requests.
pub(super) fn parameters() -> Value {
    json!({
        "IdempotencyKey": {
            "name": "Idempotency-Key", "in": "header", "required": true,
            "description": "Names this request, so that sending it again has no second effect. At least 128 random \
                bits, for example a random UUID.",
            "schema": { "type": "string", "minLength": 1, "maxLength": 255 },
        },
        "ServiceVersion": {
            "name": "Service-Version", "in": "header", "required": false,
            "description": "Asks for a date-version of the API; left out, the latest.",
            "schema": { "type": "string", "enum": VERSIONS },
        },
    })
}

/// Headers of answers.
pub(super) fn headers() -> Value {
    json!({
        "ServiceVersion": {
            "description": "The date-version that served the response.",
            "required": true,
            "schema": { "type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$" },
        },
        "RequestId": {
            "description": "Names the request; quote it when you report a problem.",
            "required": true,
            "schema": { "type": "string", "pattern": "^req_[0-9a-f]{32}$" },
        },
        "LimitRemaining": {
            "description": "How many requests are left in the current window.",
            "schema": { "type": "integer", "minimum": 0 },
        },
        "RetryAfter": {
            "description": "After how many seconds another try makes sense.",
            "schema": { "type": "integer", "minimum": 1 },
        },
        "IdempotentReplayed": {
            "description": "Present when the response is that of an earlier request with the same key.",
            "schema": { "type": "string", "const": "true" },
        },
        "ETag": {
            "description": "Names exactly this state of the resource; send it as If-None-Match.",
            "schema": { "type": "string" },
        },
    })
}

/// The credentials: the three of the contract, and the one that each prepared action brings.
pub(super) fn security_schemes(auth_url: &str) -> Value {
    json!({
        "action": {
            "type": "apiKey", "in": "header", "name": "Authorization",
            "description": "`Action ` and the token in the fragment of a prepared action's signing_url. Good for that \
                action alone.",
        },
        "session": {
            "type": "http", "scheme": "bearer", "bearerFormat": "JWT",
            "description": "A signed-in account's token, from GET /api/auth/token.",
        },
        "apiKey": {
            "type": "apiKey", "in": "header", "name": "X-Api-Key",
            "description": "A connection's key; `Authorization: Bearer` takes it too.",
        },
        "oauth": {
            "type": "oauth2",
            "description": "An agent's token from the authorization server.",
            "flows": {
                "authorizationCode": {
                    "authorizationUrl": format!("{auth_url}/api/auth/oauth2/authorize"),
                    "tokenUrl": format!("{auth_url}/api/auth/oauth2/token"),
                    "scopes": {
                        "read": "See what the agent can see.",
                        "worker": "Check in, accept offers, deliver.",
                    },
                },
            },
        },
    })
}
