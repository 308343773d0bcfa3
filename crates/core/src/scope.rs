//! Scopes: what a credential may do.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::ser::SerializeSeq;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// One permission. The last two belong to account sessions alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// Visibility.
    Read,
    /// Working for others.
    Worker,
    /// Spending under the owner's policy.
    AgentBuyer,
    /// Buying as a person.
    Buyer,
    /// Managing what one owns.
    Owner,
}

impl Scope {
    /// The scopes a grant may hold, in the order they are shown.
    pub const GRANTABLE: [Self; 3] = [Self::Read, Self::Worker, Self::AgentBuyer];

    /// The scope's word.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Worker => "worker",
            Self::AgentBuyer => "agent-buyer",
            Self::Buyer => "buyer",
            Self::Owner => "owner",
        }
    }

    const fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// A set of the scopes that a grant can hold.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct ScopeSet(u8);

impl ScopeSet {
    /// The empty set.
    pub const NONE: Self = Self(0);
    /// What a connection gets when its owner does not say: read and worker.
    pub const WORKING: Self = Self(Scope::Read.bit() | Scope::Worker.bit());

    /// The set with `scope` in it.
    #[must_use]
    pub const fn with(self, scope: Scope) -> Self {
        Self(self.0 | scope.bit())
    }

    /// The set without `scope`.
    #[must_use]
    pub const fn without(self, scope: Scope) -> Self {
        Self(self.0 & !scope.bit())
    }

    /// What both sets hold.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Whether `scope` is in the set.
    #[must_use]
    pub const fn has(self, scope: Scope) -> bool {
        self.0 & scope.bit() != 0
    }

    /// Whether nothing is in the set.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The scopes in the order they are shown.
    pub fn iter(self) -> impl Iterator<Item = Scope> {
        Scope::GRANTABLE.into_iter().filter(move |scope| self.has(*scope))
    }

    /// Reads the words of a set, as [`fmt::Display`] writes them.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        text.split_whitespace().try_fold(Self::NONE, |set, word| {
            let scope = Scope::GRANTABLE.into_iter().find(|scope| scope.name() == word)?;
            Some(set.with(scope))
        })
    }
}

impl fmt::Display for ScopeSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, scope) in self.iter().enumerate() {
            let space = if index == 0 { "" } else { " " };
            write!(f, "{space}{}", scope.name())?;
        }
        Ok(())
    }
}

impl fmt::Debug for ScopeSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{{{self}}}")
    }
}

impl Serialize for ScopeSet {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut seq = serializer.serialize_seq(None)?;
        for scope in self.iter() {
            seq.serialize_element(scope.name())?;
        }
        seq.end()
    }
}

impl JsonSchema for ScopeSet {
    fn schema_name() -> Cow<'static, str> {
        "Scopes".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        // An extensible enum of the contract: the known values are named, and no validator may refuse a new one.
        json_schema!({
            "type": "array", "minItems": 1, "uniqueItems": true,
            "items": { "type": "string", "examples": ["read", "worker", "agent-buyer"] }
        })
    }
}

/// The scopes an owner may ask for: read and worker, at least one. Spending is given by binding a policy, never here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestedScopes(pub ScopeSet);

impl<'de> Deserialize<'de> for RequestedScopes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let words = Vec::<Cow<'de, str>>::deserialize(deserializer)?;
        let mut set = ScopeSet::NONE;
        for word in words {
            let scope = match word.as_ref() {
                "read" => Scope::Read,
                "worker" => Scope::Worker,
                "agent-buyer" => {
                    return Err(de::Error::custom(
                        "agent-buyer cannot be asked for: bind a spending policy to the connection instead",
                    ));
                }
                _ => return Err(de::Error::custom("each scope is `read` or `worker`")),
            };
            if set.has(scope) {
                return Err(de::Error::custom("a scope may be named once"));
            }
            set = set.with(scope);
        }
        if set.is_empty() {
            return Err(de::Error::custom("at least one of `read` and `worker` is needed"));
        }
        Ok(Self(set))
    }
}

impl JsonSchema for RequestedScopes {
    fn schema_name() -> Cow<'static, str> {
        "RequestedScopes".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "array", "minItems": 1, "uniqueItems": true,
            "items": { "type": "string", "enum": ["read", "worker"] }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_read_back() {
        for bits in 0..8 {
            let set = ScopeSet(bits);
            assert_eq!(ScopeSet::parse(&set.to_string()), Some(set));
        }
        assert_eq!(ScopeSet::parse("read owner"), None);
    }

    #[test]
    fn only_read_and_worker_can_be_asked_for() {
        let ask = |json: &str| serde_json::from_str::<RequestedScopes>(json);
        assert_eq!(ask(r#"["worker","read"]"#).unwrap().0, ScopeSet::WORKING);
        for bad in ["[]", r#"["agent-buyer"]"#, r#"["owner"]"#, r#"["read","read"]"#, "\"read\""] {
            assert!(ask(bad).is_err(), "{bad}");
        }
    }
}
