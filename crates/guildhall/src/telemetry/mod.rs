//! Logs on standard error, and traces for a collector if one is configured.

mod facts;
mod json;
mod otlp;

use std::io;

use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::{EnvFilter, Targets};
use tracing_subscriber::layer::{Layer, SubscriberExt as _};
use tracing_subscriber::{Registry, fmt};

use crate::config::{Log, LogFormat};
use crate::failure::Failure;
use crate::output;

/// Crates that write headers, statements or values when they are asked for everything.
const TALKATIVE: &[&str] = &["hyper", "h2", "tokio_postgres", "rusqlite", "reqwest"];

type Boxed = Box<dyn Layer<Registry> + Send + Sync>;

/// Keeps the traces going; dropped at the end, it sends what is left.
#[must_use]
pub(crate) struct Telemetry {
    exporter: Option<otlp::Exporter>,
}

impl Drop for Telemetry {
    fn drop(&mut self) {
        if let Some(exporter) = self.exporter.take() {
            exporter.flush();
        }
    }
}

/// Starts logging and tracing for the whole process. Call it once, outside the async runtime.
pub(crate) fn start(log: &Log) -> Result<Telemetry, Failure> {
    let exporter = otlp::Exporter::start(&log.otlp)?;
    let traces = exporter.as_ref().map(otlp::Exporter::layer);
    let lines = lines(log.format, output::colours(), io::stderr);
    let subscriber = tracing_subscriber::registry().with(layers(log, lines, traces));
    tracing::subscriber::set_global_default(subscriber)
        .map_err(|_| Failure::new("logging was started twice"))?;
    Ok(Telemetry { exporter })
}

/// The filter, the cap that no filter lifts, and behind both the lines and the traces.
fn layers(log: &Log, lines: Boxed, traces: Option<Boxed>) -> Vec<Boxed> {
    // The span of every request costs a few microseconds; a trace is made of them, a log can do without.
    let directive = traces.is_some().then(|| "guildhall::request=debug".parse().ok()).flatten();
    let filter = directive.into_iter().fold(log.filter.build(), EnvFilter::add_directive);
    let mut layers = vec![facts::Remember.boxed(), lines];
    layers.extend(traces);
    let layers = layers.with_filter(filter);
    vec![layers.with_filter(cap()).boxed()]
}

fn cap() -> Targets {
    let capped = TALKATIVE.iter().map(|target| (*target, LevelFilter::INFO));
    Targets::new().with_default(LevelFilter::TRACE).with_targets(capped)
}

fn lines<W>(format: LogFormat, colours: bool, to: W) -> Boxed
where
    W: for<'w> fmt::MakeWriter<'w> + Send + Sync + 'static,
{
    match format {
        LogFormat::Text => fmt::layer().with_ansi(colours).with_writer(to).boxed(),
        LogFormat::Json => fmt::layer().event_format(json::Lines).with_writer(to).boxed(),
    }
}

#[cfg(test)]
mod tests;
