//! A browser without scripts: it keeps cookies, follows redirects, shows pages and sends their forms.

use std::collections::BTreeMap;
use std::sync::Mutex;

use reqwest::header::HeaderMap;
use reqwest::{Client, RequestBuilder, redirect};

use crate::server::Server;

/// More redirects than any page needs.
const MOST_REDIRECTS: usize = 10;

/// A browser that visits one server.
pub struct Browser<'s> {
    server: &'s Server,
    client: Client,
    cookies: Mutex<BTreeMap<String, String>>,
}

/// What a browser shows: a page, or where it was led to on another site.
#[derive(Clone, Debug)]
pub struct Shown {
    /// The status of the last answer.
    pub status: u16,
    /// Where the browser is: a path of the server, or the whole address on another site.
    pub address: String,
    /// The headers of the last answer.
    pub headers: HeaderMap,
    /// The page.
    pub html: String,
}

impl Server {
    /// A browser that nobody has used before.
    #[must_use]
    pub fn browser(&self) -> Browser<'_> {
        let client = Client::builder().redirect(redirect::Policy::none()).build();
        let client = client.expect("a client");
        Browser { server: self, client, cookies: Mutex::default() }
    }
}

impl Browser<'_> {
    /// Opens a page of the server.
    pub async fn open(&self, path: &str) -> Shown {
        let request = self.client.get(format!("{}{path}", self.server.base_url));
        self.follow(request, path.to_owned()).await
    }

    /// Sends the form of a page, with some of its fields filled in differently. A field that is set to `None` is left out.
    pub async fn submit(&self, page: &Shown, fields: &[(&str, Option<&str>)]) -> Shown {
        let (action, mut filled) = page.form();
        for (name, value) in fields {
            filled.retain(|(known, _)| known != name);
            if let Some(value) = value {
                filled.push(((*name).to_owned(), (*value).to_owned()));
            }
        }
        self.send(&action, &filled).await
    }

    /// Sends a form as it is.
    pub async fn send(&self, action: &str, fields: &[(String, String)]) -> Shown {
        let request = self
            .client
            .post(format!("{}{action}", self.server.base_url))
            .header("origin", "null")
            .header("sec-fetch-site", "same-origin");
        self.follow(with_form(request, fields), action.to_owned()).await
    }

    /// The value of a cookie.
    #[must_use]
    pub fn cookie(&self, name: &str) -> Option<String> {
        self.cookies.lock().expect("the cookies").get(name).cloned()
    }

    /// Takes a cookie over from elsewhere.
    pub fn set_cookie(&self, name: &str, value: &str) {
        self.cookies.lock().expect("the cookies").insert(name.to_owned(), value.to_owned());
    }

    /// Makes an account by the pages and gives what is shown then.
    pub async fn sign_up(&self, name: &str, next: &str) -> Shown {
        let next = encoded(&[("next", next)]);
        let page = self.open(&format!("/api/auth/sign-up?{next}")).await;
        let email = format!("{}@example.org", crate::people::unique("visitor"));
        let fields = [
            ("name", Some(name)),
            ("email", Some(email.as_str())),
            ("password", Some(crate::people::PASSWORD)),
        ];
        self.submit(&page, &fields).await
    }

    async fn follow(&self, request: RequestBuilder, address: String) -> Shown {
        let (mut request, mut address) = (request, address);
        for _ in 0..MOST_REDIRECTS {
            let shown = self.once(request, address).await;
            let Some(location) = shown.headers.get("location") else { return shown };
            let location = location.to_str().expect("text").to_owned();
            if !location.starts_with('/') {
                return Shown { address: location, ..shown };
            }
            assert_eq!(shown.status, 303, "whatever was sent, the next page is asked for by GET");
            request = self.client.get(format!("{}{location}", self.server.base_url));
            address = location;
        }
        panic!("led around in circles, last to {address}");
    }

    async fn once(&self, request: RequestBuilder, address: String) -> Shown {
        let cookies = self.cookies.lock().expect("the cookies").clone();
        let cookies: Vec<String> =
            cookies.into_iter().map(|(name, value)| format!("{name}={value}")).collect();
        let request =
            if cookies.is_empty() { request } else { request.header("cookie", cookies.join("; ")) };
        let response = request.send().await.expect("an answer");
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        for cookie in headers.get_all("set-cookie") {
            let pair = cookie.to_str().expect("text").split(';').next().unwrap_or_default();
            let (name, value) = pair.split_once('=').expect("a pair");
            self.set_cookie(name, value);
        }
        let html = response.text().await.expect("a page");
        Shown { status, address, headers, html }
    }
}

impl Shown {
    /// A header.
    #[must_use]
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().expect("text"))
    }

    /// The parameter of the address.
    #[must_use]
    pub fn parameter(&self, name: &str) -> Option<String> {
        let (_, query) = self.address.split_once('?')?;
        let url = reqwest::Url::parse(&format!("http://x/?{query}")).expect("an address");
        url.query_pairs().find(|(found, _)| found == name).map(|(_, value)| value.into_owned())
    }

    /// Where the page's form goes, and what it would send untouched.
    ///
    /// # Panics
    /// If the page has no form.
    #[must_use]
    pub fn form(&self) -> (String, Vec<(String, String)>) {
        let start = self.html.find("<form").unwrap_or_else(|| panic!("no form in {}", self.html));
        let form = &self.html[start..];
        let form = &form[..form.find("</form>").expect("an end of the form")];
        let action = attribute(form, "action").expect("an action");
        let fields = form.split("<input").skip(1).filter_map(|input| {
            let input = &input[..input.find('>').expect("an end of the input")];
            let name = attribute(input, "name")?;
            let kind = attribute(input, "type").unwrap_or_default();
            let ticked = input.contains(" checked") && !input.contains(" disabled");
            let sent = !matches!(kind.as_str(), "radio" | "checkbox") || ticked;
            sent.then(|| (name, attribute(input, "value").unwrap_or_default()))
        });
        (action, fields.collect())
    }

    /// The value of one of the form's fields.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<String> {
        self.form().1.into_iter().find(|(found, _)| found == name).map(|(_, value)| value)
    }
}

/// The value of an attribute, as the browser reads it.
fn attribute(tag: &str, name: &str) -> Option<String> {
    let start = tag.find(&format!(" {name}=\""))? + name.len() + 3;
    let rest = &tag[start..];
    let value = &rest[..rest.find('"')?];
    let plain = [("&#34;", "\""), ("&#39;", "'"), ("&#60;", "<"), ("&#62;", ">"), ("&#38;", "&")];
    Some(plain.iter().fold(value.to_owned(), |text, (escaped, plain)| text.replace(escaped, plain)))
}

/// A request that sends fields as a form does.
pub fn with_form<N: AsRef<str>, V: AsRef<str>>(
    request: RequestBuilder,
    fields: &[(N, V)],
) -> RequestBuilder {
    request.header("content-type", "application/x-www-form-urlencoded").body(encoded(fields))
}

/// Fields as they travel.
fn encoded<N: AsRef<str>, V: AsRef<str>>(fields: &[(N, V)]) -> String {
    let mut url = reqwest::Url::parse("http://x/").expect("an address");
    url.query_pairs_mut().extend_pairs(fields);
    url.query().unwrap_or_default().to_owned()
}
