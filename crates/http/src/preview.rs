//! `GET /previews/{token}`: a task for whoever holds the link, as plain as a page can be.

use std::fmt::Write;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Path, Request};
use axum::http::{HeaderName, HeaderValue, header};
use axum::response::Response;
use axum::routing::get;
use guildhall_ops::{Payer, PreviewPage, Result};

use crate::answer;
use crate::app::App;
use crate::file::SANDBOX;

const HTML: HeaderValue = HeaderValue::from_static("text/html; charset=utf-8");
const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");
const REFERRER_POLICY: HeaderName = HeaderName::from_static("referrer-policy");
const NO_REFERRER: HeaderValue = HeaderValue::from_static("no-referrer");

/// The route of previews.
pub(crate) fn routes(app: &Arc<App>) -> Router {
    let app = Arc::clone(app);
    let handle = move |Path(token): Path<String>, request: Request| {
        let app = Arc::clone(&app);
        async move { served(&app, &token, request).await.unwrap_or_else(|error| answer::error(&error)) }
    };
    Router::new().route("/previews/{token}", get(handle))
}

/// The page, counted like every request without a credential: against the address it comes from.
async fn served(app: &App, token: &str, request: Request) -> Result<Response> {
    let (parts, _) = request.into_parts();
    app.service.admit(&Payer::ip(app.settings.trusted.client(&parts))).await?;
    let page = app.service.preview(token).await?;
    let mut response = Response::new(Body::from(render(&page)));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HTML);
    headers.insert(header::CACHE_CONTROL, NO_STORE);
    headers.insert(header::CONTENT_SECURITY_POLICY, SANDBOX);
    // The address of the page is what opens it.
    headers.insert(REFERRER_POLICY, NO_REFERRER);
    Ok(response)
}

/// The page as HTML. Whatever is in it is text.
pub(crate) fn render(page: &PreviewPage) -> String {
    let PreviewPage { title, brief, criteria } = page;
    let title = escaped(title);
    let mut html = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>{title}</title></head>\n\
         <body>\n<h1>{title}</h1>\n<pre>{}</pre>\n",
        escaped(brief)
    );
    if !criteria.is_empty() {
        html.push_str("<h2>Criteria</h2>\n<ul>\n");
        for criterion in criteria {
            // Writing to a string cannot fail.
            let _ = writeln!(html, "<li>{}</li>", escaped(criterion));
        }
        html.push_str("</ul>\n");
    }
    html.push_str("</body>\n</html>\n");
    html
}

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    /// "Everything users write or upload is data".
    #[test]
    fn nothing_that_was_written_becomes_markup() {
        let page = PreviewPage {
            title: "</title><script>alert(1)</script>".to_owned(),
            brief: "<img src=x onerror='alert(1)'> & \"more\"\nlines".to_owned(),
            criteria: vec!["</li><b>".to_owned(), "fine".to_owned()],
        };
        let html = render(&page);
        for tag in ["<script", "<img", "<b>", "</title><"] {
            assert_eq!(html.matches(tag).count(), usize::from(tag == "</title><"), "{tag}: {html}");
        }
        assert!(html.contains("<h1>&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;</h1>"));
        assert!(html.contains(
            "<pre>&lt;img src=x onerror=&#39;alert(1)&#39;&gt; &amp; &quot;more&quot;\nlines</pre>"
        ));
        assert!(html.contains("<li>&lt;/li&gt;&lt;b&gt;</li>\n<li>fine</li>"));
    }

    #[test]
    fn a_task_without_criteria_has_no_list_of_them() {
        let page =
            PreviewPage { title: "T".to_owned(), brief: "B".to_owned(), criteria: Vec::new() };
        let expected = "<!doctype html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>T</title></head>\n\
                        <body>\n<h1>T</h1>\n<pre>B</pre>\n</body>\n</html>\n";
        assert_eq!(render(&page), expected);
    }
}
