//! Ids: a prefix that names the kind, an underscore, and 32 hex digits of a `UUIDv7`, so that ids sort by creation.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::{Code, Refusal, Timestamp};

/// What an id names. One empty type a kind, so that ids of two kinds cannot be mixed up.
pub trait Kind: 'static {
    /// The text before the underscore.
    const PREFIX: &'static str;
    /// The thing in words, for refusals.
    const NOUN: &'static str;
}

macro_rules! kinds {
    ($($kind:ident $alias:ident $prefix:literal $noun:literal;)*) => {
        $(
            #[doc = concat!("The kind of ids that name ", $noun, ".")]
            pub enum $kind {}

            impl Kind for $kind {
                const PREFIX: &'static str = $prefix;
                const NOUN: &'static str = $noun;
            }

            #[doc = concat!("The id of ", $noun, ".")]
            pub type $alias = Id<$kind>;
        )*
    };
}

kinds! {
    AccountKind AccountId "acct" "an account";
    SessionKind SessionId "sess" "an account session";
    AgentKind AgentId "agent" "an agent";
    ConnectionKind ConnectionId "conn" "a connection";
    GrantKind GrantId "grant" "a grant";
    PolicyKind PolicyId "policy" "a spending policy";
    FileKind FileId "file" "a file";
    NotificationKind NotificationId "ntf" "a notification";
    RequestKind RequestId "req" "a request";
    TaskKind TaskId "task" "a task";
    QuoteKind QuoteId "quote" "a quote";
    SelectionKind SelectionId "sel" "a selection";
    OfferKind OfferId "offer" "an offer";
    FundingKind FundingId "fund" "a funding";
    DeliveryKind DeliveryId "dlv" "a delivery";
    DisputeKind DisputeId "dsp" "a dispute";
    EvidenceKind EvidenceId "evd" "an evidence item";
    ReceiptKind ReceiptId "rcpt" "a receipt";
    CommandKind CommandId "cmd" "a command";
    ActionKind ActionId "act" "an action";
    WalletKind WalletId "wal" "a wallet";
    ChallengeKind ChallengeId "chl" "a wallet challenge";
    LinkKind LinkId "lnk" "a wallet link";
    PasskeyKind PasskeyId "pky" "a passkey";
    CeremonyKind CeremonyId "cer" "a passkey ceremony";
    ListingKind ListingId "lst" "a listing";
    TransferKind TransferId "led" "a ledger transfer";
    WebhookKind WebhookId "whk" "a webhook";
    FamilyKind FamilyId "fam" "a token family";
}

/// An id of one kind.
pub struct Id<K> {
    bits: u128,
    kind: PhantomData<fn() -> K>,
}

/// An id in a path whose pattern the contract leaves loose: it may be well formed and still name nothing.
pub struct Loose<K>(Option<Id<K>>);

impl<K: Kind> Id<K> {
    /// An id made at `at`: `order` keeps ids of the same millisecond in the order they were made, `random` sets them apart.
    #[must_use]
    pub fn new(at: Timestamp, order: u16, random: u64) -> Self {
        let millis = u64::try_from(at.millis()).unwrap_or(0);
        let mut bytes = [0; 16];
        let (head, tail) = bytes.split_at_mut(8);
        let high = (millis << 16) | 0x7000 | u64::from(order & 0x0fff);
        let low = (random & 0x3fff_ffff_ffff_ffff) | 0x8000_0000_0000_0000;
        head.copy_from_slice(&high.to_be_bytes());
        tail.copy_from_slice(&low.to_be_bytes());
        Self { bits: u128::from_be_bytes(bytes), kind: PhantomData }
    }

    /// The pattern that texts of this id match.
    #[must_use]
    pub fn pattern() -> String {
        format!("^{}_[0-9a-f]{{32}}$", K::PREFIX)
    }
}

impl<K: Kind> Loose<K> {
    /// The pattern the contract gives.
    pub const PATTERN: &'static str = "^[A-Za-z0-9_-]{1,128}$";

    /// The id, if the text can name anything.
    pub fn known(&self) -> Result<Id<K>, Refusal> {
        self.0.ok_or_else(|| missing::<K>())
    }
}

/// The refusal for something that does not exist or that the caller may not see: the two read the same.
#[must_use]
pub fn missing<K: Kind>() -> Refusal {
    let noun = K::NOUN.trim_start_matches("an ").trim_start_matches("a ");
    Refusal::new(Code::NotFound, format!("No such {noun}."))
}

impl<K> Clone for Id<K> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K> Copy for Id<K> {}

impl<K> PartialEq for Id<K> {
    fn eq(&self, other: &Self) -> bool {
        self.bits == other.bits
    }
}

impl<K> Eq for Id<K> {}

impl<K> PartialOrd for Id<K> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<K> Ord for Id<K> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.bits.cmp(&other.bits)
    }
}

impl<K> Hash for Id<K> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.bits.hash(state);
    }
}

impl<K> Id<K> {
    /// The hex digits. Ids are in every row and every answer, and the formatting machinery would take most of their time.
    fn digits(&self) -> [u8; 32] {
        let mut digits = [0; 32];
        for (pair, byte) in digits.chunks_exact_mut(2).zip(self.bits.to_be_bytes()) {
            pair.copy_from_slice(&[digit(byte >> 4), digit(byte & 0x0f)]);
        }
        digits
    }
}

const fn digit(nibble: u8) -> u8 {
    if nibble < 10 { b'0' + nibble } else { b'a' + nibble - 10 }
}

impl<K: Kind> fmt::Display for Id<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(K::PREFIX)?;
        f.write_str("_")?;
        f.write_str(std::str::from_utf8(&self.digits()).unwrap_or_default())
    }
}

impl<K: Kind> fmt::Debug for Id<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl<K: Kind> FromStr for Id<K> {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let hex = text.strip_prefix(K::PREFIX).and_then(|rest| rest.strip_prefix('_'));
        let digits = hex.filter(|hex| hex.len() == 32 && hex.bytes().all(is_lower_hex));
        let bits = digits.and_then(|hex| u128::from_str_radix(hex, 16).ok());
        bits.map(|bits| Self { bits, kind: PhantomData })
            .ok_or_else(|| format!("must match {}", Self::pattern()))
    }
}

fn is_lower_hex(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'a'..=b'f')
}

impl<K: Kind> Serialize for Id<K> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de, K: Kind> Deserialize<'de> for Id<K> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Cow::<'de, str>::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

impl<'de, K: Kind> Deserialize<'de> for Loose<K> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<'de, str>::deserialize(deserializer)?;
        let fits = (1..=128).contains(&text.len())
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
        if !fits {
            return Err(de::Error::custom(format_args!("must match {}", Self::PATTERN)));
        }
        Ok(Self(text.parse().ok()))
    }
}

impl<K: Kind> JsonSchema for Id<K> {
    fn schema_name() -> Cow<'static, str> {
        format!("{}_id", K::PREFIX).into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": Self::pattern() })
    }
}

impl<K: Kind> JsonSchema for Loose<K> {
    fn schema_name() -> Cow<'static, str> {
        format!("{}_ref", K::PREFIX).into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": Self::PATTERN })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_sort_by_creation_and_read_back() {
        let early = AgentId::new(Timestamp::from_millis(1_700_000_000_000), 0xfff, u64::MAX);
        let later = AgentId::new(Timestamp::from_millis(1_700_000_000_001), 0, 0);
        assert!(early < later && early.to_string() < later.to_string());
        assert_eq!(early.to_string().parse(), Ok(early));
        let uuid = uuid::Uuid::from_u128(early.bits);
        assert_eq!(uuid.get_version_num(), 7);
        assert_eq!(uuid.get_variant(), uuid::Variant::RFC4122);
    }

    #[test]
    fn refuses_other_kinds_and_shapes() {
        let id = AgentId::new(Timestamp::from_millis(1), 1, 1).to_string();
        assert!(id.parse::<ConnectionId>().is_err());
        for bad in
            ["", "agent_", "agent_0", &id.to_uppercase(), &format!("{id}0"), &format!(" {id}")]
        {
            assert!(bad.parse::<AgentId>().is_err(), "{bad}");
        }
    }
}
