//! What the OpenAPI document promises, held against what is answered.

use guildhall_ops::Entry;
use serde_json::Value;
use testkit::{Answer, Server};

use crate::schema;

/// The document as the server gives it.
pub(crate) struct Document(Value);

impl Document {
    /// Reads it from the server.
    pub(crate) async fn of(server: &Server) -> Self {
        Self(server.get("/openapi.json").await.expect(200))
    }

    /// What it says about an operation.
    pub(crate) fn operation(&self, entry: &Entry) -> &Value {
        let verb = entry.meta.method.as_str().to_lowercase();
        let described = &self.0["paths"][entry.meta.path][verb];
        assert_eq!(described["operationId"], entry.meta.id);
        described
    }

    /// The schema of a JSON request.
    pub(crate) fn request_schema(&self, entry: &Entry) -> &Value {
        &self.operation(entry)["requestBody"]["content"]["application/json"]["schema"]
    }

    /// Checks status, code, headers and body of an answer against the document.
    pub(crate) fn check(&self, entry: &Entry, answer: &Answer) {
        let (id, status) = (entry.meta.id, answer.status);
        let response = &self.operation(entry)["responses"][status.to_string()];
        assert!(response.is_object(), "{id}: {status} is not documented: {}", answer.text);
        self.check_headers(id, response, answer);
        if status >= 400 {
            let codes = response["x-error-codes"].as_array().expect("codes");
            let code = Value::from(answer.code());
            assert!(codes.contains(&code), "{id}: {code} is not documented for {status}");
        }
        let content = response["content"].as_object().expect("content");
        let (media_type, content) = content.iter().next().expect("a media type");
        if media_type == "*/*" {
            assert!(answer.header("content-type").is_some(), "{id}");
        } else {
            assert_eq!(answer.header("content-type"), Some(media_type.as_str()), "{id}");
        }
        if media_type == "application/json" {
            let faults = schema::faults(&self.0, &content["schema"], &answer.body);
            assert!(faults.is_empty(), "{id} {status}: {faults:#?}\n{}", answer.text);
        }
    }

    /// "Every response carries Service-Version … Success responses carry X-Limit-Remaining."
    fn check_headers(&self, id: &str, response: &Value, answer: &Answer) {
        for (name, header) in response["headers"].as_object().expect("headers") {
            let header = schema::resolved(&self.0, header);
            let needed = header["required"] == true
                || (name == "X-Limit-Remaining" && answer.status < 300)
                || matches!(name.as_str(), "ETag" | "Retry-After");
            match answer.header(name) {
                Some(text) => {
                    let value = match header["schema"]["type"].as_str() {
                        Some("integer") => text.parse::<u64>().map_or(Value::Null, Value::from),
                        _ => Value::from(text),
                    };
                    let faults = schema::faults(&self.0, &header["schema"], &value);
                    assert!(faults.is_empty(), "{id}: {name}: {text}: {faults:?}");
                }
                None => assert!(!needed, "{id}: {} lacks {name}", answer.status),
            }
        }
    }
}
