//! The outcome of a decision about one thing: its next state, ready to be saved once.

/// A thing with an identity and a count of its changes.
pub trait Entity {
    /// What tells it from others of its kind.
    type Id: PartialEq + Copy;
    /// Its identity.
    fn id(&self) -> Self::Id;
    /// How many times it has been changed. The store refuses a step that was decided on an older revision.
    fn revision(&self) -> i64;
    /// Sets the count; called by [`Step::to`] alone.
    fn set_revision(&mut self, revision: i64);
}

/// The next state of an entity, decided but not saved. Applying it consumes it, so it is saved once.
#[must_use = "a step changes nothing until it is applied"]
#[derive(Debug)]
pub struct Step<T> {
    next: T,
    from: i64,
}

impl<T: Entity> Step<T> {
    /// A step from `current` to `next`.
    pub fn to(current: &T, mut next: T) -> Self {
        let from = current.revision();
        next.set_revision(from + 1);
        Self { next, from }
    }

    /// The state after the step.
    pub fn next(&self) -> &T {
        &self.next
    }

    /// The revision the step was decided on.
    pub fn from(&self) -> i64 {
        self.from
    }

    /// Gives up the step for the state after it.
    pub fn into_next(self) -> T {
        self.next
    }
}
