//! Saving a decision: only on a locked row, only once, only from the revision it was decided on.

use guildhall_core::{Entity, Step};

use crate::error::{Error, Result};
use crate::locked::Locked;
use crate::tx::Tx;
use crate::value::Value;

/// An entity whose row can be rewritten.
pub trait Saved: Entity {
    /// The UPDATE of every changeable column. Its last two parameters are the id and the revision it starts from.
    const UPDATE: &'static str;
    /// The changeable columns, the new revision among them.
    fn columns(&self) -> Vec<Value>;
    /// The id as a parameter.
    fn key(&self) -> Value;
}

impl<'c> Tx<'c> {
    /// Saves `step` on the row it was decided on.
    pub fn apply<T: Saved>(&mut self, row: &mut Locked<'c, T>, step: Step<T>) -> Result<()> {
        let next = self.save(&**row, step)?;
        row.replace(next);
        Ok(())
    }

    /// Saves a step on a row that is held, by its own lock or by that of what it belongs to.
    pub(crate) fn save<T: Saved>(&mut self, current: &T, step: Step<T>) -> Result<T> {
        let next = step.next();
        if next.id() != current.id() || step.from() != current.revision() {
            return Err(Error::Guard("a step was applied to a row it was not decided on"));
        }
        let mut params = next.columns();
        params.push(next.key());
        params.push(Value::Int(step.from()));
        self.put_one(T::UPDATE, params)?;
        Ok(step.into_next())
    }
}
