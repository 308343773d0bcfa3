//! Which instance a command is about.

use std::fs;
use std::path::{Path, PathBuf};

use guildhall_ops::Clock;

use crate::cli::InstanceArgs;
use crate::config::{Loaded, Sources, load};
use crate::failure::Failure;
use crate::instance::Folder;

const FILE: &str = "guildhall.toml";
const FOLDER: &str = ".guildhall";

/// An instance: one that is configured, or the data folder of a development instance.
pub(super) enum Target {
    Configured(Option<PathBuf>),
    Folder(PathBuf),
}

impl Target {
    /// The instance that was named, or the one that is here.
    pub(super) fn of(args: &InstanceArgs) -> Result<Self, Failure> {
        match (&args.config, &args.data) {
            (Some(file), _) => Ok(Self::Configured(Some(file.clone()))),
            (None, Some(folder)) => Ok(Self::Folder(folder.clone())),
            (None, None) if Path::new(FILE).exists() => Ok(Self::Configured(None)),
            (None, None) if Path::new(FOLDER).exists() => Ok(Self::Folder(FOLDER.into())),
            (None, None) => Err(Failure::usage(
                format!("there is neither {FILE} nor {FOLDER} here"),
                "say which instance: --config FILE or --data DIR",
            )),
        }
    }

    /// Whether it is one for production.
    pub(super) fn serves(&self) -> bool {
        matches!(self, Self::Configured(_))
    }

    /// Its clock, which in a development instance may have been moved.
    pub(super) fn clock(&self) -> Result<Clock, Failure> {
        match self {
            Self::Configured(_) => Ok(Clock::default()),
            Self::Folder(path) => {
                let seconds = Folder::open(path)?.clock().offset_seconds()?;
                Ok(Clock::ahead_by(seconds.saturating_mul(1000)))
            }
        }
    }

    /// Its configuration.
    pub(super) fn load(&self) -> Result<Loaded, Failure> {
        match self {
            Self::Configured(file) => load_file(file.as_deref()),
            Self::Folder(path) => {
                let folder = Folder::open(path)?;
                let development = folder.settings(folder.last_database()?)?;
                let sources = Sources { development, ..environment() };
                load(sources).map_err(|problems| Failure::invalid(&problems))
            }
        }
    }
}

/// The configuration of `file`; without one of `guildhall.toml`, or of the environment alone if that is absent.
pub(super) fn load_file(file: Option<&Path>) -> Result<Loaded, Failure> {
    let path = file.unwrap_or(Path::new(FILE));
    let text = match fs::read_to_string(path) {
        Ok(text) => Some((path.to_owned(), text)),
        Err(error) if file.is_none() && error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => {
            return Err(Failure::new(format!("cannot read {}: {error}", path.display()))
                .hint("name the configuration with --config FILE"));
        }
    };
    let sources = Sources { file: text, ..environment() };
    load(sources).map_err(|problems| Failure::invalid(&problems))
}

/// Nothing but what the environment says.
pub(super) fn environment() -> Sources {
    Sources { environment: std::env::vars_os().collect(), ..Sources::default() }
}
