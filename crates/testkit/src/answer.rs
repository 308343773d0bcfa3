//! An answer, read whole.

use reqwest::header::HeaderMap;
use serde_json::Value;

/// What a request got.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The body as it came.
    pub text: String,
    /// The body as JSON, or null.
    pub body: Value,
}

impl Answer {
    pub(crate) async fn read(response: reqwest::Response) -> Self {
        let status = response.status().as_u16();
        let headers = response.headers().clone();
        let text = response.text().await.expect("a whole body");
        let body = serde_json::from_str(&text).unwrap_or(Value::Null);
        Self { status, headers, text, body }
    }

    /// A header, as text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().expect("text"))
    }

    /// The body, if the status is as expected.
    #[track_caller]
    pub fn expect(self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", self.text);
        self.body
    }

    /// Checks that this is an error of the contract with this status and code, and gives its reason.
    #[track_caller]
    pub fn refused(&self, status: u16, code: &str) -> String {
        assert_eq!((self.status, self.code()), (status, code), "{}", self.text);
        let error = &self.body["error"];
        assert!(error["suggestion"].is_null() || error["suggestion"].is_string(), "{}", self.text);
        error["reason"].as_str().expect("a reason").to_owned()
    }

    /// The code of an error, or nothing.
    pub fn code(&self) -> &str {
        self.body["error"]["code"].as_str().unwrap_or_default()
    }
}
