//! Numbers about the running service, for Prometheus.

mod listener;
mod process;

use std::time::{Duration, Instant};

use metrics_exporter_prometheus::{
    Matcher, PrometheusBuilder, PrometheusHandle, PrometheusRecorder,
};

pub(crate) use listener::serve;

use crate::failure::Failure;

/// From half a millisecond to ten seconds, close together where answers are.
const SECONDS: &[f64] =
    &[0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0];
/// Samples wait in memory until they are sorted into their buckets.
const UPKEEP: Duration = Duration::from_secs(5);

/// Where the numbers are kept.
#[derive(Clone)]
pub(crate) struct Numbers {
    handle: PrometheusHandle,
    started: Instant,
}

impl Numbers {
    /// Starts counting for the whole process. Call it once.
    pub(crate) fn install() -> Result<Self, Failure> {
        let recorder = recorder()?;
        let handle = recorder.handle();
        metrics::set_global_recorder(recorder)
            .map_err(|_| Failure::new("metrics were started twice"))?;
        process::describe();
        Ok(Self { handle, started: Instant::now() })
    }

    /// Everything counted so far, as Prometheus reads it.
    fn page(&self) -> String {
        process::record(self.started.elapsed());
        self.handle.render()
    }

    /// Keeps the memory of samples bounded, for as long as it is awaited.
    pub(crate) async fn upkeep(&self) {
        let mut ticks = tokio::time::interval(UPKEEP);
        loop {
            ticks.tick().await;
            self.handle.run_upkeep();
        }
    }
}

fn recorder() -> Result<PrometheusRecorder, Failure> {
    let builder = PrometheusBuilder::new()
        .set_buckets_for_metric(Matcher::Suffix("_seconds".to_owned()), SECONDS);
    let builder = builder.map_err(|error| Failure::new(format!("cannot keep metrics: {error}")))?;
    Ok(builder.build_recorder())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_sorted_into_buckets() {
        let recorder = recorder().unwrap();
        metrics::with_local_recorder(&recorder, || {
            metrics::histogram!("guildhall_request_seconds", "operation" => "me").record(0.002);
        });
        let page = recorder.handle().render();
        let bucket =
            |le| format!("guildhall_request_seconds_bucket{{operation=\"me\",le=\"{le}\"}}");
        assert!(page.contains(&format!("{} 0", bucket("0.001"))), "{page}");
        assert!(page.contains(&format!("{} 1", bucket("0.0025"))), "{page}");
        assert!(page.contains(&format!("{} 1", bucket("10"))), "{page}");
    }
}
