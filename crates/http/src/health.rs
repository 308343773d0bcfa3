//! Whether the process is alive, and whether it can do its work.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::response::Response;
use guildhall_ops::Error;

use crate::answer;
use crate::app::App;

/// How long the store may take to answer before it counts as gone.
const PATIENCE: Duration = Duration::from_secs(2);

/// The process runs.
pub(crate) async fn alive() -> Response {
    answer::json(200, r#"{"status":"ok"}"#)
}

/// The store answers and takes writes.
pub(crate) async fn ready(State(app): State<Arc<App>>) -> Response {
    let checked = tokio::time::timeout(PATIENCE, app.service.db().check()).await;
    let problem = match checked {
        Ok(Ok(())) => return answer::json(200, r#"{"status":"ready","checks":{"store":"ok"}}"#),
        Ok(Err(error)) => error.to_string(),
        Err(_) => "no answer in time".to_owned(),
    };
    tracing::warn!(problem, "not ready");
    let error = guildhall_core::Refusal::new(
        guildhall_core::Code::Unavailable,
        "The store is not available.",
    );
    answer::error(&Error::from(error))
}
