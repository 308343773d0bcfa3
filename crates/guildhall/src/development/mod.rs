//! What a development instance has besides: demo data, agents that are present, a movable clock, a faucet, a mailbox, and
//! a word of welcome.

mod announce;
mod calls;
mod clock;
mod demo;
mod exchange;
mod faucet;
mod kept;
mod mailbox;
mod presence;
mod wallet;

use axum::Router;

use crate::app::App;
use crate::cli::Print;
use crate::config::{Config, MasterKey, Server};
use crate::failure::Failure;
use crate::instance::Folder;

use demo::Ground;
pub(crate) use kept::Demo;
use presence::Presence;

/// A development instance.
pub(crate) struct Development {
    /// Where it lives.
    pub(crate) folder: Folder,
    /// How it tells that it is ready.
    pub(crate) print: Print,
    /// Whether `base_url` is simply where the node listens, known once it does.
    pub(crate) address_is_base: bool,
}

impl Development {
    /// The routes that no other instance has.
    pub(crate) fn routes(&self, app: &App) -> Router {
        clock::routes(app, self.folder.clock())
            .merge(faucet::routes(app))
            .merge(mailbox::routes(app))
    }

    /// The demo data: what an earlier start made, if it is still there, or else new. Its agents are present.
    pub(crate) async fn demo(
        &self,
        app: &App,
        config: &Config,
        key: &MasterKey,
    ) -> Result<(Demo, Presence), Failure> {
        let file = self.folder.demo();
        if let Some(demo) = file.read()?
            && demo.is_in(app).await?
        {
            let presence = Presence::begin(app, &demo.agents).await;
            return Ok((demo, presence));
        }
        let (demo, presence) = demo::make(Ground { app, key, config }).await?;
        file.write(&demo)?;
        Ok((demo, presence))
    }

    /// Tells that the instance is ready, and how to begin.
    pub(crate) fn announce(&self, server: &Server, demo: &Demo) -> Result<(), Failure> {
        announce::announce(self.print, server, demo)
    }
}
