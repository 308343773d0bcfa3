//! What people see in a browser. A page is a struct of what it shows; it renders itself as HTML in which everything that
//! somebody wrote is text. Pages work without scripts, with a keyboard and with a screen reader, by day and by night.

mod assets;

use askama::Template;

pub use assets::{Asset, asset};

/// A page that can be shown.
pub trait Page {
    /// The page as HTML.
    fn html(&self) -> String;
}

/// Templates are checked when the program is compiled, and writing to a string cannot fail.
impl<T: Template> Page for T {
    fn html(&self) -> String {
        self.render().unwrap_or_default()
    }
}

/// Where somebody signs in.
#[derive(Debug, Template)]
#[template(path = "sign_in.html")]
pub struct SignIn<'a> {
    /// The hidden field that proves that the form was shown to whoever sends it.
    pub form: &'a str,
    /// Where to go afterwards.
    pub next: &'a str,
    /// The client that is waiting for it, if one is.
    pub client: Option<&'a str>,
    /// What was typed before.
    pub email: &'a str,
    /// What was wrong with it.
    pub problem: Option<&'a str>,
}

/// Where somebody makes an account.
#[derive(Debug, Template)]
#[template(path = "sign_up.html")]
pub struct SignUp<'a> {
    /// The hidden field that proves that the form was shown to whoever sends it.
    pub form: &'a str,
    /// Where to go afterwards.
    pub next: &'a str,
    /// The client that is waiting for it, if one is.
    pub client: Option<&'a str>,
    /// The name that was typed before.
    pub name: &'a str,
    /// The address that was typed before.
    pub email: &'a str,
    /// What was wrong with it.
    pub problem: Option<&'a str>,
}

/// Where somebody who has signed up is offered a passkey.
#[derive(Debug, Template)]
#[template(path = "add_passkey.html")]
pub struct AddPasskey<'a> {
    /// Where to go afterwards.
    pub next: &'a str,
}

/// Where an owner decides what a client may do.
#[derive(Debug, Template)]
#[template(path = "consent.html")]
pub struct ConsentPage<'a> {
    /// The hidden field that proves that the form was shown to whoever sends it, and for which request.
    pub form: &'a str,
    /// What the client calls itself. Anybody can call itself anything.
    pub client: &'a str,
    /// Where the client's description was read, if it has one that its host vouches for.
    pub client_host: Option<&'a str>,
    /// Where the browser is sent afterwards.
    pub redirect_host: &'a str,
    /// Whether that is a program on the owner's own machine.
    pub local: bool,
    /// Whether the client also asked to work.
    pub worker: bool,
    /// Whether the client asked to stay connected.
    pub offline: bool,
    /// The agents to choose from.
    pub agents: &'a [AgentChoice],
    /// Who is signed in.
    pub email: &'a str,
    /// Where somebody else signs in for the same request.
    pub again: &'a str,
    /// What was wrong with the choice.
    pub problem: Option<&'a str>,
}

/// An agent that a client could act as.
#[derive(Debug)]
pub struct AgentChoice {
    /// Its id.
    pub agent_id: String,
    /// Its name.
    pub name: String,
}

/// Where somebody sees that they are signed in, and signs out.
#[derive(Debug, Template)]
#[template(path = "account.html")]
pub struct AccountPage<'a> {
    /// The hidden field that proves that the form was shown to whoever sends it.
    pub form: &'a str,
    /// The account's name.
    pub name: &'a str,
    /// Its address.
    pub email: &'a str,
}

/// What is shown when something cannot go on.
#[derive(Debug, Template)]
#[template(path = "failure.html")]
pub struct Failure<'a> {
    /// What went wrong.
    pub reason: &'a str,
    /// What to do about it.
    pub suggestion: &'a str,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// "Everything users write or upload is data".
    #[test]
    fn nothing_that_was_written_becomes_markup() {
        let agents =
            [AgentChoice { agent_id: "\"><b>".to_owned(), name: "<script>x</script>".to_owned() }];
        let page = ConsentPage {
            form: "f",
            client: "<img src=x>",
            client_host: Some("<i>"),
            redirect_host: "\"onload=",
            local: true,
            worker: true,
            offline: true,
            agents: &agents,
            email: "<u>@example.org",
            again: "/again",
            problem: Some("<em>"),
        };
        let html = page.html();
        for tag in ["<img src=x>", "<script>x", "<b>", "<i>", "<u>", "<em>", "\"onload="] {
            assert!(!html.contains(tag), "{tag}: {html}");
        }
        assert!(html.contains("&#60;img src=x&#62;"), "{html}");
    }

    #[test]
    fn every_page_has_a_language_a_title_and_one_main_heading() {
        let pages = [
            SignIn { form: "f", next: "/", client: None, email: "", problem: None }.html(),
            SignUp { form: "f", next: "/", client: None, name: "", email: "", problem: None }
                .html(),
            AddPasskey { next: "/" }.html(),
            AccountPage { form: "f", name: "Ada", email: "a@example.org" }.html(),
            Failure { reason: "No.", suggestion: "Yes." }.html(),
        ];
        for html in pages {
            assert!(html.starts_with("<!doctype html>\n<html lang=\"en\">"), "{html}");
            assert_eq!(html.matches("<h1").count(), 1, "{html}");
            assert_eq!(html.matches("<main").count(), 1, "{html}");
            assert!(html.contains("<title>") && !html.contains("<title></title>"), "{html}");
        }
    }
}
