//! Runs a task's machine checks. Everything here is bounded: checks run while others wait for the writer.

mod pattern;
mod schema;
mod task;

pub(crate) use task::CheckTask;

use guildhall_core::check::{Check, CheckResult, MAX_CHECKS, MAX_SCHEMA_BYTES};
use guildhall_core::delivery::Artifact;
use guildhall_core::task::Task;
use guildhall_core::{Code, Refusal};

use self::schema::Schema;
use crate::content::{Content, MAX_TEXT_BYTES, too_large};
use crate::error::{Error, Result};

/// Refuses checks that could not be run, when a task is made: a pattern or schema that is none, or one that costs too much.
pub(crate) fn validate(checks: &[Check]) -> Result<(), Refusal> {
    if checks.len() > MAX_CHECKS {
        return Err(bad(format!("checks: a task has {MAX_CHECKS} checks at most.")));
    }
    for (place, check) in checks.iter().enumerate() {
        let sound = match check {
            Check::JsonSchema { schema, .. } => {
                let size = serde_json::to_vec(schema).map_or(usize::MAX, |json| json.len());
                if size > MAX_SCHEMA_BYTES {
                    Err(format!("the schema may have {MAX_SCHEMA_BYTES} bytes and has {size}"))
                } else {
                    Schema::compile(schema).map(drop)
                }
            }
            Check::Regex { pattern, .. } => pattern::compile(pattern).map(drop),
            Check::Sha256 { .. } | Check::MediaType { .. } | Check::MaxBytes { .. } => Ok(()),
        };
        sound.map_err(|reason| bad(format!("{}: {reason}.", name(place, check))))?;
    }
    Ok(())
}

/// The checks of a task, as it was made.
pub(crate) fn of_task(task: &Task) -> Result<Vec<Check>> {
    let checks = &task.brief.checks;
    if checks.is_null() {
        return Ok(Vec::new());
    }
    serde_json::from_value(checks.clone())
        .map_err(|error| Error::internal(format!("the checks of {}: {error}", task.task_id)))
}

/// Runs every check against a delivery. What is in its files was read beforehand.
pub(crate) fn run(checks: &[Check], artifacts: &[Artifact], content: &Content) -> Vec<CheckResult> {
    let run = |(place, check): (usize, &Check)| {
        let (ok, detail) = match run_one(check, artifacts, content) {
            Ok(looked_at) => (true, looked_at),
            Err(fault) => (false, fault),
        };
        CheckResult { check: name(place, check), ok, detail }
    };
    checks.iter().enumerate().map(run).collect()
}

/// Refuses a delivery that fails a check, and names the first.
pub(crate) fn check_passed(results: &[CheckResult]) -> Result<()> {
    match results.iter().find(|result| !result.ok) {
        None => Ok(()),
        Some(failed) => {
            Err(Error::invalid(format!("{} fails: {}.", failed.check, failed.detail)).suggest(
                "Mend the artifact and deliver again; checkTask tries a delivery without handing it in.",
            ))
        }
    }
}

fn run_one(check: &Check, artifacts: &[Artifact], content: &Content) -> Result<String, String> {
    let meant: Vec<_> = artifacts
        .iter()
        .filter(|one| check.artifact().is_none_or(|name| name == one.name))
        .collect();
    if let (Some(name), true) = (check.artifact(), meant.is_empty()) {
        return Err(format!("there is no artifact {name:?}"));
    }
    let looks = Looks::of(check)?;
    for one in &meant {
        looks.at(one, content).map_err(|fault| format!("{:?} {fault}", one.name))?;
    }
    let names: Vec<_> = meant.iter().map(|one| one.name.as_str()).collect();
    Ok(format!("{} looked at", names.join(", ")))
}

/// A check that is ready to look at artifacts.
enum Looks<'c> {
    Schema(Box<Schema>),
    Pattern(regex::Regex),
    Plain(&'c Check),
}

impl<'c> Looks<'c> {
    fn of(check: &'c Check) -> Result<Self, String> {
        Ok(match check {
            Check::JsonSchema { schema, .. } => Self::Schema(Box::new(Schema::compile(schema)?)),
            Check::Regex { pattern, .. } => Self::Pattern(pattern::compile(pattern)?),
            other => Self::Plain(other),
        })
    }

    fn at(&self, artifact: &Artifact, content: &Content) -> Result<(), String> {
        match self {
            Self::Schema(schema) => schema.check(text_of(artifact, content)?),
            Self::Pattern(pattern) if pattern.is_match(text_of(artifact, content)?) => Ok(()),
            Self::Pattern(_) => Err("does not match the pattern".to_owned()),
            Self::Plain(check) => look_plainly(check, artifact),
        }
    }
}

fn look_plainly(check: &Check, artifact: &Artifact) -> Result<(), String> {
    let (holds, wanted) = match check {
        Check::Sha256 { sha256, .. } => (
            sha256.as_str() == artifact.sha256,
            format!("has another SHA-256: {}", artifact.sha256),
        ),
        Check::MediaType { media_type, .. } => {
            (media_type.is(&artifact.media_type), format!("is {}", artifact.media_type))
        }
        Check::MaxBytes { bytes, .. } => {
            (artifact.size <= i64::from(*bytes), format!("has {} bytes", artifact.size))
        }
        Check::JsonSchema { .. } | Check::Regex { .. } => (true, String::new()),
    };
    if holds { Ok(()) } else { Err(wanted) }
}

/// The text of an artifact that is small enough to be looked into.
fn text_of<'a>(artifact: &'a Artifact, content: &'a Content) -> Result<&'a str, String> {
    match artifact.text.as_deref() {
        None => content.text(&artifact.sha256),
        Some(text) if text.len() > MAX_TEXT_BYTES => Err(too_large()),
        Some(text) => Ok(text),
    }
}

fn name(place: usize, check: &Check) -> String {
    format!("checks[{place}] ({})", check.kind())
}

fn bad(reason: String) -> Refusal {
    Refusal::new(Code::InvalidTaskTerms, reason)
}

#[cfg(test)]
mod tests;
