//! The clients that are known, with what to paste into each.

use schemars::JsonSchema;
use serde::Serialize;

use crate::cx::Cx;
use crate::error::Result;
use crate::meta::{Meta, PUBLIC, Tag};
use crate::operation::{Operation, Reads};
use crate::page::{Page, WholeList};

/// A client, and how it is connected. `{base_url}` is filled in.
struct Client {
    id: &'static str,
    name: &'static str,
    /// With a key, which stands in the environment.
    by_key: &'static str,
    /// Without one: the client finds out by itself how to log in.
    by_oauth: &'static str,
    /// What makes it log in then.
    login: &'static str,
}

const CLIENTS: [Client; 5] = [
    Client {
        id: "claude-code",
        name: "Claude Code",
        // The header takes every word up to the next option, so that it must not be the last one before the name.
        by_key: r#"claude mcp add --header "X-Api-Key: $GUILDHALL_API_KEY" --transport http guildhall {base_url}/mcp"#,
        by_oauth: "claude mcp add --transport http guildhall {base_url}/mcp",
        login: "claude mcp login guildhall",
    },
    Client {
        id: "codex",
        name: "Codex",
        by_key: "codex mcp add guildhall --url {base_url}/mcp --bearer-token-env-var GUILDHALL_API_KEY",
        by_oauth: "codex mcp add guildhall --url {base_url}/mcp",
        login: "codex mcp login guildhall",
    },
    Client {
        id: "cursor",
        name: "Cursor",
        by_key: r#"{"mcpServers":{"guildhall":{"url":"{base_url}/mcp","headers":{"X-Api-Key":"${env:GUILDHALL_API_KEY}"}}}}"#,
        by_oauth: r#"{"mcpServers":{"guildhall":{"url":"{base_url}/mcp"}}}"#,
        login: "Save it as .cursor/mcp.json, then choose Connect beside guildhall in Cursor's settings (Tools & MCP).",
    },
    Client {
        id: "vscode",
        name: "VS Code",
        by_key: r#"{"inputs":[{"type":"promptString","id":"guildhall-key","description":"Guildhall API key","password":true}],"servers":{"guildhall":{"type":"http","url":"{base_url}/mcp","headers":{"X-Api-Key":"${input:guildhall-key}"}}}}"#,
        by_oauth: r#"{"servers":{"guildhall":{"type":"http","url":"{base_url}/mcp"}}}"#,
        login: "Save it as .vscode/mcp.json and start the server there; VS Code asks to sign in.",
    },
    Client {
        id: "custom",
        name: "Any program",
        by_key: r#"curl -H "X-Api-Key: $GUILDHALL_API_KEY" {base_url}/v1/me"#,
        by_oauth: "{base_url}/mcp",
        login: "Give the address to any MCP client that logs in by OAuth.",
    },
];

/// Whether an owner can connect this client. The service's own (`hosted`) is not among them.
pub(super) fn is_connectable(client: &str) -> bool {
    CLIENTS.iter().any(|known| known.id == client)
}

/// The client of the catalog that calls itself by this name; `custom` if none does. A name proves nothing: it only says how
/// the connection is shown.
pub(super) fn of_client(name: Option<&str>) -> &'static str {
    let name = name.unwrap_or_default().to_lowercase();
    let known = CLIENTS.iter().find(|known| {
        let goes_by = [known.name.to_lowercase(), known.id.to_owned()];
        known.id != "custom" && goes_by.iter().any(|word| name.contains(word))
    });
    known.map_or("custom", |known| known.id)
}

pub(crate) struct ListClientCatalog;

/// A client that is known.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "CatalogClient")]
pub(crate) struct Known {
    /// What `client_catalog_id` takes.
    client_catalog_id: &'static str,
    /// What people call it.
    name: &'static str,
    /// What to run or to paste, with the key in the environment.
    snippet: String,
    /// What to run or to paste to log in instead, without a key.
    oauth_snippet: String,
    /// What to run or to do then to log in.
    login: &'static str,
}

impl Known {
    fn new(client: &'static Client, base_url: &str) -> Self {
        let filled = |snippet: &str| snippet.replace("{base_url}", base_url);
        Self {
            client_catalog_id: client.id,
            name: client.name,
            snippet: filled(client.by_key),
            oauth_snippet: filled(client.by_oauth),
            login: client.login,
        }
    }
}

impl Operation for ListClientCatalog {
    const META: Meta = Meta::query("listClientCatalog", "/v1/client-catalog")
        .summary("List the clients that are known")
        .tag(Tag::Connections)
        .credentials(PUBLIC)
        .scope(&[]);
    type Access = Reads;
    type Input = WholeList;
    type Output = Page<Known>;

    fn run(cx: &mut Cx<Reads>, input: &WholeList) -> Result<Page<Known>> {
        let base_url = cx.env().base_url.as_str();
        cx.page(
            (input.cursor.as_ref(), input.limit),
            "",
            |_, after: Option<usize>, count| {
                let rows = CLIENTS.iter().enumerate().skip(after.map_or(0, |after| after + 1));
                Ok(rows.take(usize::try_from(count).unwrap_or(usize::MAX)).collect())
            },
            |(index, _)| *index,
            |(_, client)| Known::new(client, base_url),
        )
    }
}
