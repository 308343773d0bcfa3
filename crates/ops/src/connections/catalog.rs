//! The clients that are known, with what to paste into each.

use schemars::JsonSchema;
use serde::Serialize;

use crate::cx::Cx;
use crate::error::Result;
use crate::meta::{Meta, PUBLIC, Tag};
use crate::operation::{Operation, Reads};
use crate::page::{Page, WholeList};

/// A client: its id, its name, and how it is connected by key. `{base_url}` is filled in.
const CLIENTS: [(&str, &str, &str); 5] = [
    (
        "claude-code",
        "Claude Code",
        "claude mcp add --transport http --header \"X-Api-Key: $GUILDHALL_API_KEY\" guildhall {base_url}/mcp",
    ),
    (
        "codex",
        "Codex",
        "codex mcp add guildhall --url {base_url}/mcp --bearer-token-env-var GUILDHALL_API_KEY",
    ),
    (
        "cursor",
        "Cursor",
        "{\"mcpServers\":{\"guildhall\":{\"url\":\"{base_url}/mcp\",\"headers\":{\"X-Api-Key\":\"${env:GUILDHALL_API_KEY}\"}}}}",
    ),
    (
        "vscode",
        "VS Code",
        "{\"servers\":{\"guildhall\":{\"type\":\"http\",\"url\":\"{base_url}/mcp\",\"headers\":{\"X-Api-Key\":\"${input:guildhall-key}\"}}}}",
    ),
    ("custom", "Any program", "curl -H \"X-Api-Key: $GUILDHALL_API_KEY\" {base_url}/v1/me"),
];

/// Whether an owner can connect this client. The service's own (`hosted`) is not among them.
pub(super) fn is_connectable(client: &str) -> bool {
    CLIENTS.iter().any(|(id, _, _)| *id == client)
}

/// The client of the catalog that calls itself by this name; `custom` if none does. A name proves nothing: it only says how
/// the connection is shown.
pub(super) fn of_client(name: Option<&str>) -> &'static str {
    let name = name.unwrap_or_default().to_lowercase();
    let known = CLIENTS.iter().find(|(id, known, _)| {
        *id != "custom" && (name.contains(&known.to_lowercase()) || name.contains(id))
    });
    known.map_or("custom", |(id, _, _)| id)
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
            |(_, (client_catalog_id, name, snippet))| Known {
                client_catalog_id,
                name,
                snippet: snippet.replace("{base_url}", base_url),
            },
        )
    }
}
