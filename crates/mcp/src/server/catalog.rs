//! The tools: every operation that has a name as one, in the order of the registry.

use std::collections::HashMap;

use guildhall_core::scope::{Scope, ScopeSet};
use guildhall_ops::{Entry, Meta, REGISTRY};
use metrics::Histogram;
use rmcp::model::ToolAnnotations;

use super::schema;

/// How a tool is called with an idempotency key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyRule {
    /// It changes nothing.
    None,
    /// Without one, each call is a new request.
    Optional,
    /// Never without one: it spends.
    Required,
}

/// A tool.
pub(crate) struct Tool {
    /// Its operation.
    pub(crate) entry: &'static Entry,
    /// How it is called with a key.
    pub(crate) key: KeyRule,
    /// Whether its answer may be an action that a wallet signs elsewhere.
    pub(crate) prepares: bool,
    /// How long it takes, answered and refused.
    pub(crate) times: [Histogram; 2],
    listed: rmcp::model::Tool,
}

/// Every tool.
pub(crate) struct Catalog {
    tools: Vec<Tool>,
    places: HashMap<&'static str, usize>,
}

impl Catalog {
    /// Makes the tools of the registry.
    pub(crate) fn new() -> Self {
        let (mut inputs, mut outputs) = (schema::inputs(), schema::outputs());
        let tools: Vec<Tool> = REGISTRY
            .iter()
            .filter_map(|entry| {
                let name = entry.meta.tool?;
                let key = KeyRule::of(&entry.meta);
                let input = schema::input(entry, key, &mut inputs);
                let output = schema::output(entry, &mut outputs);
                let signs =
                    output.get("properties").and_then(|all| all.get("signing_url")).is_some();
                let about = entry.meta.told.unwrap_or(entry.meta.summary);
                let listed = rmcp::model::Tool::new(name, about, input)
                    .with_raw_output_schema(output.into())
                    .with_annotations(annotations(name, &entry.meta, key));
                let prepares = entry.writes && signs;
                Some(Tool { entry, key, prepares, times: times(name), listed })
            })
            .collect();
        let places = tools.iter().enumerate();
        let places =
            places.filter_map(|(place, tool)| Some((tool.entry.meta.tool?, place))).collect();
        Self { tools, places }
    }

    /// The tool of this name.
    pub(crate) fn find(&self, name: &str) -> Option<&Tool> {
        self.tools.get(*self.places.get(name)?)
    }

    /// The tools that these scopes admit.
    pub(crate) fn list(&self, scopes: ScopeSet) -> Vec<rmcp::model::Tool> {
        let admitted = |tool: &&Tool| tool.entry.meta.scopes.iter().all(|scope| scopes.has(*scope));
        self.tools.iter().filter(admitted).map(|tool| tool.listed.clone()).collect()
    }
}

impl KeyRule {
    fn of(meta: &Meta) -> Self {
        if !meta.needs_key {
            Self::None
        } else if meta.scopes.contains(&Scope::AgentBuyer) {
            Self::Required
        } else {
            Self::Optional
        }
    }
}

/// What a client may tell its user before it calls. Where the protocol's default is right, nothing is said: what others
/// wrote may be in the answer, and a second call is a second request.
fn annotations(name: &str, meta: &Meta, key: KeyRule) -> ToolAnnotations {
    let reads = !meta.needs_key;
    let mut hints = ToolAnnotations::with_title(title(name)).read_only(reads);
    hints.destructive_hint = (!reads).then_some(meta.destructive);
    hints.idempotent_hint = (key == KeyRule::Required).then_some(true);
    hints.open_world_hint = meta.own.then_some(false);
    hints
}

/// A tool's name as people write it.
fn title(name: &str) -> String {
    let words = name.replace('_', " ");
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

fn times(tool: &'static str) -> [Histogram; 2] {
    ["answered", "refused"].map(|outcome| {
        metrics::histogram!("guildhall_mcp_call_seconds", "tool" => tool, "outcome" => outcome)
    })
}

#[cfg(test)]
mod tests;
