//! A PostgreSQL server of the bench's own, that waits for the disk as a real one does, and pgbench on it.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, ensure};
use guildhall_core::canonical::hex;
use tokio_postgres::{Client, NoTls};

use crate::fixture::Person;
use crate::work::{SIZES, Script};

/// The seconds at the start of a pgbench run that do not count.
const WARM_UP: u64 = 2;

/// A running server. It ends, and its data with it, when this is dropped.
pub(crate) struct Postgres {
    process: Child,
    url: String,
    programs: PathBuf,
}

impl Postgres {
    /// Starts it the way the tests do, but with its promises kept.
    pub(crate) fn start() -> Result<Self> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/with-postgres");
        let tell =
            r#"printf '%s\n' "$GUILDHALL_TEST_POSTGRES" "$GUILDHALL_TEST_PG_BIN"; cat >/dev/null"#;
        let mut process = Command::new(script)
            .args(["sh", "-c", tell])
            .env("GUILDHALL_PG_FSYNC", "on")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("scripts/with-postgres")?;
        let mut lines = BufReader::new(process.stdout.take().context("no output")?).lines();
        let mut line =
            || lines.next().context("PostgreSQL did not start")?.map_err(anyhow::Error::from);
        let (url, programs) = (line()?, PathBuf::from(line()?));
        Ok(Self { process, url, programs })
    }

    /// The URL of one of its databases.
    pub(crate) fn url(&self, database: &str) -> Result<String> {
        let (base, _) = self.url.rsplit_once('/').context("a URL without a database")?;
        Ok(format!("{base}/{database}"))
    }

    /// Runs statements in a database, one text at a time.
    pub(crate) fn run(&self, database: &str, statements: &[String]) -> Result<()> {
        let url = self.url(database)?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async {
            let (client, connection) = tokio_postgres::connect(&url, NoTls).await?;
            let driving = tokio::spawn(connection);
            run_all(&client, statements).await?;
            drop(client);
            Ok(driving.await??)
        })
    }

    /// Makes a database; one that had the name is gone.
    pub(crate) fn create(&self, name: &str, template: Option<&str>) -> Result<()> {
        let template = template.map(|like| format!(" TEMPLATE {like}")).unwrap_or_default();
        let drop = format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)");
        self.run("postgres", &[drop, format!("CREATE DATABASE {name}{template}")])
    }

    /// Has the server write down every statement of a database, and gives the file it writes to.
    pub(crate) fn record(&self, database: &str) -> Result<PathBuf> {
        let setting = |name, value| format!("ALTER DATABASE {database} SET {name} = '{value}'");
        self.run(
            "postgres",
            &[setting("log_min_messages", "log"), setting("log_statement", "all")],
        )?;
        let folder = PathBuf::from(self.show("data_directory")?);
        Ok(folder.parent().context("a server without a folder")?.join("server.log"))
    }

    fn show(&self, setting: &str) -> Result<String> {
        let url = self.url("postgres")?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async {
            let (client, connection) = tokio_postgres::connect(&url, NoTls).await?;
            let driving = tokio::spawn(connection);
            let value = client.query_one(&format!("SHOW {setting}"), &[]).await?.get(0);
            drop(client);
            driving.await??;
            Ok(value)
        })
    }

    /// Tells pgbench's clients whom they stand for.
    pub(crate) fn introduce(&self, database: &str, people: &[Person]) -> Result<()> {
        let table = "CREATE TABLE bench_people (number BIGINT PRIMARY KEY, account TEXT NOT NULL, \
                     session TEXT NOT NULL, agent TEXT NOT NULL, connection TEXT NOT NULL, policy TEXT NOT NULL, \
                     key TEXT NOT NULL)";
        let rows = people.iter().enumerate().map(|(number, person)| {
            let Person { account_id, session_id, agent_id, connection_id, .. } = person;
            let policy_id = person.policy_id.as_deref().unwrap_or_default();
            let key = hex(&guildhall_ops::digest(person.api_key.as_bytes()));
            format!(
                "INSERT INTO bench_people VALUES \
                 ({number}, '{account_id}', '{session_id}', '{agent_id}', '{connection_id}', '{policy_id}', '{key}')"
            )
        });
        self.run(database, &std::iter::once(table.to_owned()).chain(rows).collect::<Vec<_>>())
    }

    /// Transactions a second of a script, by pgbench with prepared statements.
    pub(crate) fn pgbench(&self, database: &str, run: &Pgbench<'_>) -> Result<f64> {
        let folder = tempfile::tempdir()?;
        let mut command = Command::new(self.programs.join("pgbench"));
        command.args(["--no-vacuum", "--protocol=prepared", "--jobs=2", "--progress=1"]);
        command
            .arg(format!("--client={}", run.clients))
            .arg(format!("--time={}", run.seconds + WARM_UP));
        for (number, text) in run.script.files.iter().enumerate() {
            let path = folder.path().join(number.to_string());
            std::fs::write(&path, text)?;
            command.arg("--file").arg(path);
            command.arg(format!("--define=known_{}=0", run.clients * number));
        }
        for count in SIZES {
            command.arg(format!("--define=bytes_{count}={}", "x".repeat(count)));
        }
        command.arg("--define=n=0");
        command.arg(format!("--define=run={}", run.number)).arg(self.url(database)?);
        let output = command.output().context("pgbench")?;
        let told = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "pgbench failed: {told}");
        warm_rate(&told)
    }
}

/// The mean of what pgbench tells every second, without the seconds in which its clients connect and prepare.
fn warm_rate(told: &str) -> Result<f64> {
    let lines = told.lines().filter(|line| line.starts_with("progress: "));
    let mut rates = Vec::new();
    for line in lines.skip(usize::try_from(WARM_UP)?) {
        let rate = line.split(", ").nth(1).and_then(|field| field.strip_suffix(" tps"));
        rates.push(rate.with_context(|| format!("no rate in {line:?}"))?.parse::<f64>()?);
    }
    ensure!(!rates.is_empty(), "pgbench told nothing: {told}");
    #[expect(clippy::cast_precision_loss, reason = "a few seconds")]
    Ok(rates.iter().sum::<f64>() / rates.len() as f64)
}

/// One run of pgbench.
pub(crate) struct Pgbench<'a> {
    pub(crate) script: &'a Script,
    pub(crate) clients: usize,
    pub(crate) seconds: u64,
    /// Which run on this database it is: its ids must be new.
    pub(crate) number: usize,
}

async fn run_all(client: &Client, statements: &[String]) -> Result<()> {
    for statement in statements {
        client.batch_execute(statement).await?;
    }
    Ok(())
}

impl Drop for Postgres {
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        let _ = self.process.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_seconds_of_pgbench_do_not_count() {
        let told = "progress: 1.0 s, 5.0 tps, lat 1.0 ms stddev 0.1, 0 failed\n\
                    progress: 2.0 s, 50.0 tps, lat 1.0 ms stddev 0.1, 0 failed\n\
                    progress: 3.0 s, 100.0 tps, lat 1.0 ms stddev 0.1, 0 failed\n\
                    progress: 4.0 s, 200.0 tps, lat 1.0 ms stddev 0.1, 0 failed\n";
        assert!((warm_rate(told).unwrap() - 150.0).abs() < 1e-9);
        assert!(warm_rate("progress: 1.0 s, 5.0 tps, lat 1.0 ms").is_err());
    }
}
