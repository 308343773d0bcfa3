//! Log lines for machines: one JSON object each, with the request and its principal at the top.

use std::fmt;

use serde_json::{Map, Value};
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::fmt::FmtContext;
use tracing_subscriber::fmt::format::{FormatEvent, FormatFields, Writer};
use tracing_subscriber::fmt::time::{FormatTime as _, SystemTime};
use tracing_subscriber::registry::LookupSpan;

use super::facts::Facts;

/// The format of a line.
pub(super) struct Lines;

impl<S, N> FormatEvent<S, N> for Lines
where
    S: Subscriber + for<'s> LookupSpan<'s>,
    N: for<'w> FormatFields<'w> + 'static,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let mut timestamp = String::new();
        SystemTime.format_time(&mut Writer::new(&mut timestamp))?;
        let meta = event.metadata();
        let mut line = Fields(Map::new());
        line.put("timestamp", timestamp);
        line.put("level", meta.level().as_str());
        line.put("target", meta.target());
        // The line's own words come first, so that a field cannot pretend to be one of them.
        let facts = facts(context);
        line.put("message", "");
        facts.request_id.into_iter().for_each(|id| line.put("request_id", id));
        facts.principal.into_iter().for_each(|principal| line.put("principal", principal));
        event.record(&mut line);
        writeln!(writer, "{}", Value::Object(line.0))
    }
}

/// What the spans around an event say; the innermost one that says it counts.
fn facts<S, N>(context: &FmtContext<'_, S, N>) -> Facts
where
    S: Subscriber + for<'s> LookupSpan<'s>,
    N: for<'w> FormatFields<'w> + 'static,
{
    let mut known = Facts::default();
    for span in context.event_scope().into_iter().flatten() {
        let extensions = span.extensions();
        let Some(facts) = extensions.get::<Facts>() else { continue };
        known.request_id = known.request_id.or_else(|| facts.request_id.clone());
        known.principal = known.principal.or_else(|| facts.principal.clone());
    }
    known
}

struct Fields(Map<String, Value>);

impl Fields {
    fn put(&mut self, name: &str, value: impl Into<Value>) {
        self.0.insert(name.to_owned(), value.into());
    }

    fn record(&mut self, field: &Field, value: impl Into<Value>) {
        match field.name() {
            "message" => self.put("message", value),
            taken if self.0.contains_key(taken) => self.put(&format!("field_{taken}"), value),
            free => self.put(free, value),
        }
    }
}

impl Visit for Fields {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.record(field, value);
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.record(field, value);
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.record(field, value);
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.record(field, value);
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.record(field, value);
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.record(field, format!("{value:?}"));
    }
}
