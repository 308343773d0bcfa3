//! The demo data: people, their agents, and a small market between them, made the way people and agents make them.
//!
//! Every step first looks whether an earlier start, which may have been cut short, has done it.

mod agents;
mod cast;
mod listings;
mod people;
mod stories;
mod tasks;

use guildhall_ops::Result;

use self::people::{ARBITER, BUYER, OWNER, Person};
use super::kept::{Demo, DemoAgent, Made};
use super::presence::Presence;
use crate::app::App;
use crate::config::{Config, MasterKey};
use crate::failure::Failure;

/// Where the demo is made.
#[derive(Clone, Copy)]
pub(super) struct Ground<'a> {
    pub(super) app: &'a App,
    /// What the wallets of the demo come from.
    pub(super) key: &'a MasterKey,
    pub(super) config: &'a Config,
}

/// Makes what is missing of the demo data. Its agents are present then.
pub(super) async fn make(ground: Ground<'_>) -> Result<(Demo, Presence), Failure> {
    // One after the other: each password takes 19 MiB to hash, and three at once would be kept as the idle size.
    let buyer = Person::enter(ground, &BUYER).await?;
    let owner = Person::enter(ground, &OWNER).await?;
    let arbiter = Person::enter(ground, &ARBITER).await?;
    ground.app.identity.set_arbiter(ARBITER.email, true).await.map_err(people::failed)?;
    // Boxed, as the stories of so many people make a large future.
    let made = Box::pin(fill(ground.app, &buyer, &owner)).await;
    let (agents, presence, made) =
        made.map_err(|error| Failure::of_service("demo data", &error))?;
    let mut accounts = Vec::new();
    for person in [buyer, owner, arbiter] {
        accounts.push(person.told());
        person.leave(&ground.app.identity).await?;
    }
    Ok((Demo { accounts, agents, made }, presence))
}

/// The agents of both, and what they do with each other.
async fn fill(
    app: &App,
    buyer: &Person<'_>,
    owner: &Person<'_>,
) -> Result<(Vec<DemoAgent>, Presence, Made)> {
    let mut agents = agents::of_owner(&owner.calls).await?;
    agents.push(agents::of_buyer(&buyer.calls).await?);
    let presence = Presence::begin(app, &agents).await;
    let cast = cast::Cast::new(&app.service, (buyer, owner), &agents)?;
    let listings = listings::make(&cast).await?;
    let tasks = Box::pin(tasks::make(&cast)).await?;
    let made = Made { agents: agents::COUNT, tasks, listings };
    Ok((agents, presence, made))
}
