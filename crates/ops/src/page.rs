//! Lists: pages by keyset, with cursors that cannot be made up or carried elsewhere.

use std::borrow::Cow;
use std::str::FromStr;

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, de};

use crate::cx::Cx;
use crate::error::{Error, Result};
use crate::operation::Access;

/// The length of the tag before the place.
const TAG_LENGTH: usize = 32;

/// A page of a list.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "{T}Page")]
pub(crate) struct Page<T> {
    /// The items.
    pub data: Vec<T>,
    /// The cursor of the next page; null on the last one.
    pub next_page: Option<String>,
}

/// The input of a list that takes nothing but its page.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WholeList {
    #[serde(default)]
    pub(crate) cursor: Option<Cursor>,
    #[serde(default)]
    pub(crate) limit: Limit,
}

/// How many items a page may have: 1 to 100, 25 if nobody says.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limit(u32);

/// The `next_page` of the page before.
#[derive(Clone, Debug)]
pub(crate) struct Cursor(String);

impl Limit {
    /// The number of items.
    #[must_use]
    pub(crate) fn get(self) -> i64 {
        i64::from(self.0)
    }
}

impl Default for Limit {
    fn default() -> Self {
        Self(25)
    }
}

impl<'de> Deserialize<'de> for Limit {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let limit = u32::deserialize(deserializer)?;
        if (1..=100).contains(&limit) {
            Ok(Self(limit))
        } else {
            Err(de::Error::custom("must be an integer from 1 to 100"))
        }
    }
}

impl JsonSchema for Limit {
    fn schema_name() -> Cow<'static, str> {
        "Limit".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "integer", "minimum": 1, "maximum": 100, "default": 25,
            "description": "How many items a page may have."
        })
    }
}

impl<'de> Deserialize<'de> for Cursor {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        if text.is_empty() || text.len() > 512 {
            return Err(de::Error::custom("must be the next_page of the page before"));
        }
        Ok(Self(text))
    }
}

impl JsonSchema for Cursor {
    fn schema_name() -> Cow<'static, str> {
        "Cursor".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string", "minLength": 1, "maxLength": 512,
            "description": "The next_page of the page before; left out for the first page."
        })
    }
}

/// What a cursor stands for in one list: the place of the last item before the page.
pub(crate) trait Place: FromStr + ToString {}

impl<T: FromStr + ToString> Place for T {}

impl<'c, A: Access> Cx<'_, 'c, A> {
    /// A page of a list. `load` gets the place after which to go on and how many rows to fetch; `place` names a row's own.
    ///
    /// `filter` is whatever else selects the list's items: a cursor is good for the same filter only.
    pub(crate) fn page<R, P: Place, T>(
        &mut self,
        (cursor, limit): (Option<&Cursor>, Limit),
        filter: &str,
        load: impl FnOnce(&mut A::Tx<'c>, Option<P>, i64) -> guildhall_store::Result<Vec<R>>,
        place: impl Fn(&R) -> P,
        mut show: impl FnMut(R) -> T,
    ) -> Result<Page<T>> {
        let after = cursor.map(|cursor| self.open_cursor(cursor, filter)).transpose()?;
        // One row more than asked for tells whether there is a next page.
        let mut rows = load(self.tx, after, limit.get() + 1)?;
        let wanted = usize::try_from(limit.get()).unwrap_or(usize::MAX);
        let more = rows.len() > wanted;
        rows.truncate(wanted);
        let last = if more { rows.last().map(&place) } else { None };
        let next_page = last.map(|place| self.make_cursor(&place.to_string(), filter));
        Ok(Page { data: rows.into_iter().map(&mut show).collect(), next_page })
    }

    /// The cursor of the page after a place.
    pub(crate) fn make_cursor(&self, place: &str, filter: &str) -> String {
        let tag = self.setting.env.cursors.mac(&self.bound(place, filter));
        BASE64.encode([tag.as_slice(), place.as_bytes()].concat())
    }

    /// The place that a cursor stands for.
    pub(crate) fn open_cursor<P: Place>(&self, cursor: &Cursor, filter: &str) -> Result<P> {
        let forged = || {
            Error::invalid("cursor: is not a next_page of this list.")
                .suggest("Leave `cursor` out to begin with the first page.")
        };
        let bytes = BASE64.decode(&cursor.0).map_err(|_| forged())?;
        let (tag, place) = bytes.split_at_checked(TAG_LENGTH).ok_or_else(forged)?;
        let place = std::str::from_utf8(place).map_err(|_| forged())?;
        if !self.setting.env.cursors.verify_mac(&self.bound(place, filter), tag) {
            return Err(forged());
        }
        place.parse().map_err(|_| forged())
    }

    /// A place with the list, the filter and the reader that it is good for.
    fn bound(&self, place: &str, filter: &str) -> Vec<u8> {
        let reader = self.setting.caller.principal().unwrap_or_default();
        [self.setting.meta.id, &reader, filter, place].join("\n").into_bytes()
    }
}
