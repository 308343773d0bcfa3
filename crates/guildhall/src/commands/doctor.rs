//! `guildhall doctor`.

use super::target::Target;
use crate::cli::InstanceArgs;
use crate::doctor::Report;
use crate::failure::Failure;
use crate::{node, output};

pub(super) fn run(args: &InstanceArgs, json: bool) -> Result<(), Failure> {
    let target = Target::of(args)?;
    let loaded = target.load()?;
    let report = node::runtime()?.block_on(Report::of(&loaded, target.serves()));
    if json {
        output::json(&report)?;
    } else {
        output::text(&report.table())?;
    }
    match report.failed() {
        0 => Ok(()),
        1 => Err(Failure::new("one check failed")),
        failed => Err(Failure::new(format!("{failed} checks failed"))),
    }
}
