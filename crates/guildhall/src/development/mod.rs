//! What a development instance has besides: demo data, a movable clock, a faucet, and a word of welcome.

mod announce;
mod calls;
mod clock;
mod demo;
mod exchange;
mod faucet;
mod kept;

use axum::Router;

use crate::app::App;
use crate::cli::Print;
use crate::config::Server;
use crate::failure::Failure;
use crate::instance::Folder;

pub(crate) use kept::Demo;

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
        clock::routes(app, self.folder.clock()).merge(faucet::routes(app))
    }

    /// The demo data: what an earlier start made, if it is still there, or else new.
    pub(crate) async fn demo(&self, app: &App) -> Result<Demo, Failure> {
        let file = self.folder.demo();
        if let Some(demo) = file.read()?
            && demo.is_in(app).await?
        {
            return Ok(demo);
        }
        let demo = demo::make(app).await?;
        file.write(&demo)?;
        Ok(demo)
    }

    /// Tells that the instance is ready, and how to begin.
    pub(crate) fn announce(&self, server: &Server, demo: &Demo) -> Result<(), Failure> {
        announce::announce(self.print, server, demo)
    }
}
