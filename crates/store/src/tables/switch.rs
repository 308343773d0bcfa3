//! The operator's switches.

use guildhall_core::Timestamp;

use crate::error::Result;
use crate::params;
use crate::tx::{ReadTx, Tx};

impl ReadTx<'_> {
    /// Why a switch is on, if it is.
    pub fn find_switch(&mut self, name: &str) -> Result<Option<String>> {
        let row: Option<(String,)> =
            self.find("SELECT reason FROM switches WHERE name = $1", params![name.to_owned()])?;
        Ok(row.map(|(reason,)| reason))
    }
}

impl Tx<'_> {
    /// Turns a switch on, with a reason.
    pub fn switch_on(&mut self, name: &str, reason: &str, now: Timestamp) -> Result<()> {
        self.put(
            "INSERT INTO switches (name, reason, since) VALUES ($1, $2, $3) \
             ON CONFLICT (name) DO UPDATE SET reason = excluded.reason",
            params![name.to_owned(), reason.to_owned(), now],
        )
    }

    /// Turns a switch off.
    pub fn switch_off(&mut self, name: &str) -> Result<()> {
        self.put("DELETE FROM switches WHERE name = $1", params![name.to_owned()])
    }
}
