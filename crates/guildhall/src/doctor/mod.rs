//! Is everything that the service stands on as it should be?

mod checks;
mod disk;

use serde::Serialize;

use crate::config::Loaded;

/// What a check found: what is fine, or what is not and what to do.
type Finding = Result<String, (String, String)>;

/// One check and what it found.
#[derive(Debug, Serialize)]
pub(crate) struct Check {
    name: &'static str,
    ok: bool,
    detail: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

/// What all checks found.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    ok: bool,
    checks: Vec<Check>,
}

impl Report {
    /// Looks at an instance. `serves` says that it is one for production, where what is unsafe is wrong.
    pub(crate) async fn of(loaded: &Loaded, serves: bool) -> Self {
        let config = &loaded.config;
        let mut checks = vec![
            Check::new("config", checks::config(config, serves)),
            Check::new("secret key", checks::key(config)),
            Check::new("permissions", checks::permissions(config)),
            Check::new("files", checks::files(config)),
            Check::new("disk", disk::check(config)),
            Check::new("clock", checks::clock(config)),
        ];
        match checks::database(config).await {
            Ok(db) => {
                let found = format!("{} answers and is current", config.database.url);
                checks.push(Check::new("database", Ok(found)));
                checks.push(Check::new("signing key", checks::signing_key(config, db).await));
            }
            // Without a database there is no key to look for.
            Err(fault) => checks.push(Check::new("database", Err(fault))),
        }
        Self { ok: checks.iter().all(|check| check.ok), checks }
    }

    /// How many checks failed.
    pub(crate) fn failed(&self) -> usize {
        self.checks.iter().filter(|check| !check.ok).count()
    }

    /// A table for people.
    pub(crate) fn table(&self) -> String {
        let width = self.checks.iter().map(|check| check.name.len()).max().unwrap_or_default();
        let lines = self.checks.iter().map(|check| {
            let sign = if check.ok { "ok  " } else { "FAIL" };
            let hint =
                check.hint.as_ref().map(|hint| format!("      {:width$}  hint: {hint}\n", ""));
            let hint = hint.unwrap_or_default();
            format!("{sign}  {:width$}  {}\n{hint}", check.name, check.detail)
        });
        lines.collect::<Vec<_>>().concat()
    }
}

impl Check {
    fn new(name: &'static str, finding: Finding) -> Self {
        match finding {
            Ok(detail) => Self { name, ok: true, detail, hint: None },
            Err((detail, hint)) => Self { name, ok: false, detail, hint: Some(hint) },
        }
    }
}

#[cfg(test)]
mod tests;
