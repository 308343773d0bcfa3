//! The files that pages name: they are part of the program.

/// A file of the pages.
#[derive(Clone, Copy, Debug)]
pub struct Asset {
    /// What it is.
    pub media_type: &'static str,
    /// Its text.
    pub text: &'static str,
}

/// The file of this name.
#[must_use]
pub fn asset(name: &str) -> Option<Asset> {
    match name {
        "guildhall.css" => Some(Asset {
            media_type: "text/css; charset=utf-8",
            text: include_str!("../assets/guildhall.css"),
        }),
        "passkey.js" => Some(Asset {
            media_type: "text/javascript; charset=utf-8",
            text: include_str!("../assets/passkey.js"),
        }),
        "mark.svg" => {
            Some(Asset { media_type: "image/svg+xml", text: include_str!("../assets/mark.svg") })
        }
        _ => None,
    }
}
