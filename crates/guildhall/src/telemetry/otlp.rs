//! Traces for an OpenTelemetry collector, sent by a thread of their own.

use std::time::Duration;

use opentelemetry::trace::TracerProvider as _;
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{Sampler, SdkTracerProvider};
use tracing_subscriber::layer::Layer as _;

use super::Boxed;
use crate::config::Otlp;
use crate::failure::Failure;
use crate::output;

/// How long one batch may take to be sent.
const SEND_TIMEOUT: Duration = Duration::from_secs(5);
/// How long the process waits at its end for the last batch.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(3);

/// The way to the collector.
pub(super) struct Exporter {
    provider: SdkTracerProvider,
}

impl Exporter {
    /// Opens the way, if a collector is configured.
    pub(super) fn start(otlp: &Otlp) -> Result<Option<Self>, Failure> {
        let Some(collector) = &otlp.endpoint else { return Ok(None) };
        let exporter = SpanExporter::builder()
            .with_http()
            .with_endpoint(collector.traces())
            .with_protocol(Protocol::HttpBinary)
            .with_timeout(SEND_TIMEOUT)
            .build()
            .map_err(|error| Failure::new(format!("cannot send traces: {error}")))?;
        let resource = Resource::builder().with_service_name(otlp.service_name.clone()).build();
        // A caller that is traced stays traced; the ratio decides for those that begin here.
        let sampler = Sampler::TraceIdRatioBased(otlp.sample_ratio);
        let provider = SdkTracerProvider::builder()
            .with_batch_exporter(exporter)
            .with_sampler(Sampler::ParentBased(Box::new(sampler)))
            .with_resource(resource)
            .build();
        Ok(Some(Self { provider }))
    }

    /// The layer that turns spans into traces.
    pub(super) fn layer(&self) -> Boxed {
        let tracer = self.provider.tracer("guildhall");
        tracing_opentelemetry::layer().with_tracer(tracer).boxed()
    }

    /// Sends what is left, and gives up in time.
    pub(super) fn flush(self) {
        if let Err(error) = self.provider.shutdown_with_timeout(FLUSH_TIMEOUT) {
            output::note(&format!("warning: the last traces were not sent: {error}"));
        }
    }
}
