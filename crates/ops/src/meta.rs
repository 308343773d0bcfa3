//! What an operation says about itself. Every surface and every table test is made from this.

use guildhall_core::Code;
use guildhall_core::scope::Scope;

/// The verb of the REST surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "they are HTTP's own words")]
pub enum Method {
    Get,
    Post,
    Put,
    Patch,
    Delete,
}

impl Method {
    /// The verb as it is sent.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        }
    }
}

/// The contract's resource groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "they are the contract's own words")]
pub enum Tag {
    Tasks,
    Agents,
    Connections,
    Quotes,
    Deliveries,
    Receipts,
    Earnings,
    Credits,
    Inference,
    Relay,
    AgentBuyer,
    Listings,
    Notifications,
}

impl Tag {
    /// Every group with a line about it, in the contract's order.
    pub const ALL: [(Self, &'static str); 13] = [
        (Self::Tasks, "Work that buyers post."),
        (Self::Agents, "Accounts, agents and what hosted ones are made of."),
        (Self::Connections, "How clients act as agents."),
        (Self::Quotes, "Offers of work for a price."),
        (Self::Deliveries, "Results, reviews and disputes."),
        (Self::Receipts, "Signed proof of paid work."),
        (Self::Earnings, "What agents have earned in USDC."),
        (Self::Credits, "Balances and their entries."),
        (Self::Inference, "Buying model calls."),
        (Self::Relay, "The credit-rail worker loop."),
        (Self::AgentBuyer, "Agents that spend under their owner's policy."),
        (Self::Listings, "Work for sale at a fixed price."),
        (Self::Notifications, "What happened, to poll or to stream."),
    ];

    /// The group's name.
    #[must_use]
    pub fn name(self) -> String {
        format!("{self:?}")
    }
}

/// A set of credential kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Credentials(u8);

/// An account session.
pub const SESSION: Credentials = Credentials(1);
/// A connection-bound API key.
pub const API_KEY: Credentials = Credentials(2);
/// An OAuth agent token.
pub const OAUTH: Credentials = Credentials(4);
/// No credential at all.
pub const PUBLIC: Credentials = Credentials(8);
/// A prepared action's own token.
pub const ACTION: Credentials = Credentials(16);

impl Credentials {
    /// The kinds of both sets.
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether every kind of `other` is in this set.
    #[must_use]
    pub const fn admits(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// The kinds in words.
    #[must_use]
    pub fn words(self) -> String {
        let kinds = [
            (SESSION, "an account session"),
            (API_KEY, "an API key"),
            (OAUTH, "an OAuth agent token"),
            (ACTION, "the action's own token"),
            (PUBLIC, "no credential"),
        ];
        let words: Vec<_> =
            kinds.iter().filter(|(kind, _)| self.admits(*kind)).map(|(_, word)| *word).collect();
        words.join(" or ")
    }
}

/// How the body of a request travels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body {
    /// None: everything is in path and query.
    None,
    /// A JSON object.
    Json,
    /// The bytes of a file. The service stores them first and passes `sha256`, `size` and `media_type` on as input.
    File,
}

/// How a good answer travels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// As the JSON of the output.
    Json,
    /// As a stream of events, each an item of the output's list.
    Events,
    /// As the bytes of the file that the output names by `sha256`, `media_type`, `size` and perhaps `name`.
    File,
}

/// An operation's description. Built by `const fn`s, so that it is checked when the program is compiled.
#[derive(Clone, Copy, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is one thing an operation says, apart from all others"
)]
pub struct Meta {
    /// The operation id.
    pub id: &'static str,
    /// One line about it.
    pub summary: &'static str,
    /// Its verb.
    pub method: Method,
    /// Its path, with parameters in braces.
    pub path: &'static str,
    /// Its resource group.
    pub tag: Tag,
    /// Who may call it.
    pub credentials: Credentials,
    /// What an agent's grant must hold.
    pub scopes: &'static [Scope],
    /// Its name as an MCP tool.
    pub tool: Option<&'static str>,
    /// What a model is told about the tool, where the summary does not help it to choose.
    pub told: Option<&'static str>,
    /// Whether it ends or spends something, so that a client should ask before it calls.
    pub destructive: bool,
    /// Whether it deals with the caller's own alone: nothing that others wrote is in its answer.
    pub own: bool,
    /// The codes it refuses with, besides those that every operation can answer.
    pub refusals: &'static [Code],
    /// The status of success.
    pub status: u16,
    /// How its body travels.
    pub body: Body,
    /// Whether it must be called with an Idempotency-Key.
    pub needs_key: bool,
    /// A field of the answer that is shown once.
    pub secret: Option<&'static str>,
    /// Whether it answers a single resource, which then has an `ETag`.
    pub single: bool,
    /// How its answer travels.
    pub form: Form,
    /// Another status of success that it may answer with.
    pub other_status: Option<u16>,
    /// Whether it finds something out before its transaction.
    pub gathers: bool,
}

impl Meta {
    /// An operation that only reads.
    #[must_use]
    pub const fn query(id: &'static str, path: &'static str) -> Self {
        Self {
            id,
            summary: "",
            method: Method::Get,
            path,
            tag: Tag::Agents,
            credentials: SESSION,
            scopes: &[Scope::Owner],
            tool: None,
            told: None,
            destructive: false,
            own: false,
            refusals: &[],
            status: 200,
            body: Body::None,
            needs_key: false,
            secret: None,
            single: false,
            form: Form::Json,
            other_status: None,
            gathers: false,
        }
    }

    /// An operation that changes something.
    #[must_use]
    pub const fn mutation(id: &'static str, method: Method, path: &'static str) -> Self {
        Self { method, body: Body::Json, needs_key: true, ..Self::query(id, path) }
    }

    /// An operation that only reads, and whose question is too large for a path: it is posted, and needs no key.
    #[must_use]
    pub const fn posted_query(id: &'static str, path: &'static str) -> Self {
        Self { method: Method::Post, body: Body::Json, ..Self::query(id, path) }
    }

    /// Says in one line what it does.
    #[must_use]
    pub const fn summary(mut self, summary: &'static str) -> Self {
        self.summary = summary;
        self
    }

    /// Puts it into a group.
    #[must_use]
    pub const fn tag(mut self, tag: Tag) -> Self {
        self.tag = tag;
        self
    }

    /// Says who may call it.
    #[must_use]
    pub const fn credentials(mut self, credentials: Credentials) -> Self {
        self.credentials = credentials;
        self
    }

    /// Says what an agent's grant must hold.
    #[must_use]
    pub const fn scope(mut self, scopes: &'static [Scope]) -> Self {
        self.scopes = scopes;
        self
    }

    /// Makes it an MCP tool.
    #[must_use]
    pub const fn tool(mut self, name: &'static str) -> Self {
        self.tool = Some(name);
        self
    }

    /// Says to a model what the tool is for.
    #[must_use]
    pub const fn told(mut self, told: &'static str) -> Self {
        self.told = Some(told);
        self
    }

    /// Ends or spends something.
    #[must_use]
    pub const fn destructive(mut self) -> Self {
        self.destructive = true;
        self
    }

    /// Shows nothing that others wrote.
    #[must_use]
    pub const fn own(mut self) -> Self {
        self.own = true;
        self
    }

    /// Lists the codes it refuses with.
    #[must_use]
    pub const fn refuses(mut self, codes: &'static [Code]) -> Self {
        self.refusals = codes;
        self
    }

    /// Answers 201.
    #[must_use]
    pub const fn creates(mut self) -> Self {
        self.status = 201;
        self
    }

    /// Takes the bytes of a file.
    #[must_use]
    pub const fn takes_file(mut self) -> Self {
        self.body = Body::File;
        self
    }

    /// Shows a field of its answer once.
    #[must_use]
    pub const fn shows_once(mut self, field: &'static str) -> Self {
        self.secret = Some(field);
        self
    }

    /// May answer with another status of success.
    #[must_use]
    pub const fn or_status(mut self, status: u16) -> Self {
        self.other_status = Some(status);
        self
    }

    /// Answers a single resource.
    #[must_use]
    pub const fn single(mut self) -> Self {
        self.single = true;
        self
    }

    /// Answers with a stream of events.
    #[must_use]
    pub const fn streams(mut self) -> Self {
        self.form = Form::Events;
        self
    }

    /// Answers with the bytes of the file that its output names.
    #[must_use]
    pub const fn serves_file(mut self) -> Self {
        self.form = Form::File;
        self
    }

    /// Finds something out before its transaction: what would hold the writer up, or what no database holds.
    #[must_use]
    pub const fn gathers(mut self) -> Self {
        self.gathers = true;
        self
    }

    /// The parameters of the path, in order.
    pub fn path_parameters(&self) -> impl Iterator<Item = &'static str> {
        self.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
    }

    /// Whether query parameters may come with it.
    #[must_use]
    pub const fn takes_query(&self) -> bool {
        !matches!(self.body, Body::Json)
    }

    /// Every code it can answer, its own and those of the way to it, in the contract's order.
    #[must_use]
    pub fn codes(&self) -> Vec<Code> {
        // Also where no credential is needed, one that is not valid is refused.
        let mut codes = vec![
            Code::InvalidRequest,
            Code::Unauthorized,
            Code::RateLimited,
            Code::Unavailable,
            Code::Internal,
        ];
        if self.credentials != PUBLIC {
            codes.push(Code::Forbidden);
        }
        if self.path_parameters().next().is_some() {
            codes.push(Code::NotFound);
        }
        if self.needs_key {
            codes.push(Code::Conflict);
        }
        if self.body != Body::None {
            codes.push(Code::PayloadTooLarge);
        }
        if self.scopes.contains(&Scope::AgentBuyer) {
            codes.push(Code::DemandForbidden);
        }
        codes.extend_from_slice(self.refusals);
        codes.sort_unstable();
        codes.dedup();
        codes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// "Writes nothing, needs no Idempotency-Key": a question may be posted without becoming a mutation.
    #[test]
    fn a_posted_query_takes_a_body_and_no_key() {
        let meta = Meta::posted_query("verifyReceipt", "/v1/receipts/verify");
        assert_eq!((meta.method, meta.body, meta.needs_key), (Method::Post, Body::Json, false));
        assert!(!meta.takes_query());
        assert!(meta.codes().contains(&Code::PayloadTooLarge));
        assert!(!meta.codes().contains(&Code::Conflict), "nothing can conflict with a question");
    }
}
