//! Who asked, and which request it was: remembered by a request's span for every line below it.

use std::fmt;

use tracing::Subscriber;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing_subscriber::layer::{Context, Layer};
use tracing_subscriber::registry::LookupSpan;

/// What a span says about its request.
#[derive(Clone, Debug, Default)]
pub(super) struct Facts {
    pub(super) request_id: Option<String>,
    pub(super) principal: Option<String>,
}

impl Facts {
    fn place(&mut self, field: &Field) -> Option<&mut Option<String>> {
        match field.name() {
            "request_id" => Some(&mut self.request_id),
            "principal" => Some(&mut self.principal),
            _ => None,
        }
    }
}

impl Visit for Facts {
    fn record_str(&mut self, field: &Field, value: &str) {
        if let Some(place) = self.place(field) {
            *place = Some(value.to_owned());
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if let Some(place) = self.place(field) {
            *place = Some(format!("{value:?}"));
        }
    }
}

/// The layer that remembers them.
pub(super) struct Remember;

impl<S: Subscriber + for<'s> LookupSpan<'s>> Layer<S> for Remember {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        let mut facts = Facts::default();
        attributes.record(&mut facts);
        span.extensions_mut().insert(facts);
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        if let Some(facts) = span.extensions_mut().get_mut::<Facts>() {
            values.record(facts);
        }
    }
}
