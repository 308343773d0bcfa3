//! Where codes may be sent: which addresses a client may name, and when an address is the one it named.

use url::{Host, Url};

const MAX_LENGTH: usize = 1_024;

/// Schemes of well-known programs that registered one without a dot, against RFC 8252, and are used all the same.
const NATIVE_SCHEMES: [&str; 14] = [
    "claude",
    "cline",
    "cursor",
    "goose",
    "jetbrains",
    "kiro",
    "raycast",
    "trae",
    "vscode",
    "vscode-insiders",
    "vscodium",
    "warp",
    "windsurf",
    "zed",
];

/// Checks an address that a client wants codes to be sent to.
pub(super) fn check(uri: &str) -> Result<(), &'static str> {
    let plain = |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'\\' | b'<' | b'>' | b'"');
    if uri.is_empty() || uri.len() > MAX_LENGTH || !uri.bytes().all(plain) {
        return Err("must have at most 1024 characters of plain ASCII, none of them a space");
    }
    let url = Url::parse(uri).map_err(|_| "is not an absolute URI")?;
    if uri.contains('#') {
        return Err("must not have a fragment");
    }
    let authority = uri.split_once("//").map_or("", |(_, rest)| rest);
    if authority.split(['/', '?']).next().is_some_and(|authority| authority.contains('@')) {
        return Err("must not carry a user or a password");
    }
    // The parser reads a scheme in any case and more than two slashes; what is compared byte by byte is written in one way.
    if !uri.starts_with(&format!("{}:", url.scheme())) {
        return Err("must have its scheme in small letters");
    }
    match url.scheme() {
        "https" if uri.starts_with("https://") && url.host().is_some() => Ok(()),
        "http" if loopback(uri).is_some() => Ok(()),
        scheme if scheme.contains('.') || NATIVE_SCHEMES.contains(&scheme) => Ok(()),
        _ => Err("must be https, or http on the loopback (127.0.0.1, [::1], localhost), \
             or have a scheme of the program's own with a dot in it"),
    }
}

/// Whether an address is one that was registered: byte by byte, but for the port of the loopback, which a program gets
/// from its system each time anew.
pub(super) fn matches(registered: &str, asked: &str) -> bool {
    if registered == asked {
        return true;
    }
    loopback(registered).zip(loopback(asked)).is_some_and(|(one, other)| one == other)
}

/// Whether an address leads back to the machine that the browser runs on.
pub(super) fn is_native(uri: &str) -> bool {
    loopback(uri).is_some() || !(uri.starts_with("https://") || uri.starts_with("http://"))
}

/// The host and the rest of an http address on the loopback, without its port.
fn loopback(uri: &str) -> Option<(&str, &str)> {
    let rest = uri.strip_prefix("http://")?;
    let host = ["127.0.0.1", "[::1]", "localhost"].into_iter().find(|host| rest.starts_with(host))?;
    let rest = rest.strip_prefix(host)?;
    let rest = match rest.strip_prefix(':') {
        None => rest,
        Some(port) => {
            let end = port.find(|c: char| !c.is_ascii_digit()).unwrap_or(port.len());
            let (digits, rest) = port.split_at_checked(end)?;
            digits.parse::<u16>().ok()?;
            rest
        }
    };
    (rest.is_empty() || rest.starts_with(['/', '?'])).then_some((host, rest))
}

/// The host of an address, or the scheme of one that has none.
pub(super) fn host(uri: &str) -> String {
    let url = Url::parse(uri).ok();
    let host = url.as_ref().filter(|url| url.scheme().starts_with("http")).and_then(Url::host_str);
    host.map_or_else(|| scheme(uri), str::to_owned)
}

/// An address as a source of a content security policy: where a form may lead in the end.
pub(super) fn source(uri: &str) -> String {
    let Ok(url) = Url::parse(uri) else { return "'none'".to_owned() };
    match url.host() {
        Some(Host::Domain(_) | Host::Ipv4(_)) if url.scheme().starts_with("http") => {
            url.origin().ascii_serialization()
        }
        // A policy cannot name an address of IPv6, nor a host of another scheme.
        _ => scheme(uri),
    }
}

fn scheme(uri: &str) -> String {
    uri.split_once(':').map_or_else(String::new, |(scheme, _)| format!("{scheme}:"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// "https, or http on loopback, or a private-use scheme with a dot or a known native scheme; never
    /// javascript/data/fragment/userinfo"
    #[test]
    fn takes_the_addresses_that_clients_have_and_no_others() {
        for good in [
            "https://app.example.com/cb",
            "https://app.example.com:8443/cb?x=1",
            "http://127.0.0.1/cb",
            "http://127.0.0.1:33418/",
            "http://[::1]:1/cb",
            "http://localhost:8080/cb",
            "http://localhost",
            "com.example.app:/cb",
            "cursor://anysphere.cursor-mcp/oauth/callback",
            "vscode://vscode.github-authentication/did-authenticate",
        ] {
            assert_eq!(check(good), Ok(()), "{good}");
        }
        for bad in [
            "",
            "/cb",
            "http://app.example.com/cb",
            "http://127.0.0.1.evil.com/cb",
            "http://localhosts/cb",
            "http://127.0.0.1:80@evil.com/",
            "https://user@app.example.com/",
            "https://@app.example.com/",
            "https://app.example.com/#frag",
            "https://app.example.com/cb#",
            "HTTPS://app.example.com/cb",
            "https:app.example.com/cb",
            "https:\\\\app.example.com",
            "https://app.example.com/a b",
            "https://app.example.com/\u{e9}",
            "javascript:alert(1)",
            "JaVaScRiPt:alert(1)",
            "data:text/html,x",
            "file:///etc/passwd",
            "blob:https://x",
            "about:blank",
            "ftp://example.com/",
            "null",
            "http://127.0.0.1:99999/cb",
            "http://127.0.0.1:/cb",
            &format!("https://a.example/{}", "a".repeat(1_024)),
        ] {
            assert!(check(bad).is_err(), "{bad}");
        }
    }

    /// "byte equality only; port free only on `http://127.0.0.1`/`[::1]`/`localhost`"
    #[test]
    fn only_the_port_of_the_loopback_is_free() {
        let registered = "https://app.example.com/cb";
        assert!(matches(registered, registered));
        for other in [
            "https://app.example.com/cb/",
            "https://app.example.com/cb?x=1",
            "https://app.example.com/foo/../cb",
            "https://app.example.com/%2E%2E/cb",
            "https://app.example.com/%252E/cb",
            "https://app.example.com/..;/cb",
            "https://app.example.com/CB",
            "https://App.example.com/cb",
            "HTTPS://app.example.com/cb",
            "https://app.example.com:443/cb",
            "https://app.example.com.evil.com/cb",
            "https://app.example.com@evil.com/cb",
            "https://a@b@app.example.com/cb",
            "https://app.example.com/cb#x",
            "http://app.example.com/cb",
            "",
            "null",
        ] {
            assert!(!matches(registered, other), "{other}");
        }
        let local = "http://127.0.0.1:1234/cb";
        for good in ["http://127.0.0.1:1234/cb", "http://127.0.0.1:9/cb", "http://127.0.0.1/cb"] {
            assert!(matches(local, good), "{good}");
        }
        for bad in [
            "http://localhost:1234/cb",
            "http://[::1]:1234/cb",
            "https://127.0.0.1:1234/cb",
            "http://127.0.0.1:1234/cb/",
            "http://127.0.0.1:1234/cb?x",
            "http://127.0.0.1:12x/cb",
            "http://127.0.0.1:123456/cb",
            "http://127.0.0.1:80@evil.com/cb",
            "http://127.0.0.1.evil.com/cb",
            "http://127.0.0.2/cb",
        ] {
            assert!(!matches(local, bad), "{bad}");
        }
    }

    #[test]
    fn shows_where_it_leads() {
        for (uri, shown, policy) in [
            ("https://app.example.com:8443/cb", "app.example.com", "https://app.example.com:8443"),
            ("http://127.0.0.1:33418/cb", "127.0.0.1", "http://127.0.0.1:33418"),
            ("http://[::1]:33418/cb", "[::1]", "http:"),
            ("cursor://anysphere/cb", "cursor:", "cursor:"),
            ("com.example.app:/cb", "com.example.app:", "com.example.app:"),
        ] {
            assert_eq!((host(uri).as_str(), source(uri).as_str()), (shown, policy));
        }
        assert!(is_native("http://localhost:1/") && is_native("cursor://x"));
        assert!(!is_native("https://localhost/"));
    }
}
