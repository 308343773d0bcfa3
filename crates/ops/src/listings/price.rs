//! A price as it is sent: in credits, or in USDC.

use std::borrow::Cow;

use guildhall_core::Code;
use guildhall_core::money::{Credits, Price};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, de};

use crate::error::{Error, Result};

/// A price in USDC.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub(crate) struct UsdcPrice {
    #[expect(dead_code, reason = "it is checked when it is read")]
    amount: Price,
    #[expect(dead_code, reason = "it is checked when it is read")]
    #[schemars(extend("examples" = ["USDC"]))]
    currency: Currency,
}

#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[schemars(inline)]
enum Currency {
    #[serde(rename = "USDC")]
    Usdc,
}

/// The price in credits, if one was given; one in USDC needs a chain, and there is none.
pub(super) fn chosen(credits: Option<Price>, usdc: Option<&UsdcPrice>) -> Result<Option<Credits>> {
    match (credits, usdc) {
        (Some(_), Some(_)) => Err(Error::invalid("price: cannot stand beside price_credits.")
            .suggest("Send one of them.")),
        (None, Some(_)) => Err(Error::new(
            Code::ChainVerificationUnavailable,
            "This service has no chain configured.",
        )
        .suggest("Sell for credits: send `price_credits`.")),
        (credits, None) => Ok(credits.map(Price::credits)),
    }
}

/// How many hires may be open at once: 1 to 1,000.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OpenHires(pub(super) u32);

impl<'de> Deserialize<'de> for OpenHires {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match u32::deserialize(deserializer)? {
            hires @ 1..=1_000 => Ok(Self(hires)),
            _ => Err(de::Error::custom("must be an integer from 1 to 1000")),
        }
    }
}

impl JsonSchema for OpenHires {
    fn schema_name() -> Cow<'static, str> {
        "OpenHires".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "integer", "minimum": 1, "maximum": 1_000 })
    }
}
