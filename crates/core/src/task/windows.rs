//! The windows of a task, in seconds, each within its bounds.

use std::borrow::Cow;
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, de};

/// Seconds from `MIN` to `MAX`, `DEFAULT` where nobody says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Window<const MIN: u32, const DEFAULT: u32, const MAX: u32>(u32);

/// How long the worker may take to accept.
pub type AcceptWindow = Window<60, 3_600, 604_800>;
/// How long the worker may take to deliver.
pub type DeliveryWindow = Window<300, 86_400, 2_592_000>;
/// How long the buyer may take to review.
pub type ReviewWindow = Window<3_600, 259_200, 1_209_600>;

impl<const MIN: u32, const DEFAULT: u32, const MAX: u32> Window<MIN, DEFAULT, MAX> {
    /// A window, if it is within the bounds.
    #[must_use]
    pub fn new(seconds: u32) -> Option<Self> {
        (MIN..=MAX).contains(&seconds).then_some(Self(seconds))
    }

    /// The seconds.
    #[must_use]
    pub const fn seconds(self) -> u32 {
        self.0
    }

    /// The span.
    #[must_use]
    pub fn span(self) -> Duration {
        Duration::from_secs(u64::from(self.0))
    }
}

impl<const MIN: u32, const DEFAULT: u32, const MAX: u32> Default for Window<MIN, DEFAULT, MAX> {
    fn default() -> Self {
        Self(DEFAULT)
    }
}

impl<'de, const MIN: u32, const DEFAULT: u32, const MAX: u32> Deserialize<'de>
    for Window<MIN, DEFAULT, MAX>
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let seconds = u32::deserialize(deserializer)?;
        Self::new(seconds).ok_or_else(|| {
            de::Error::custom(format_args!("must be an integer from {MIN} to {MAX}"))
        })
    }
}

impl<const MIN: u32, const DEFAULT: u32, const MAX: u32> JsonSchema for Window<MIN, DEFAULT, MAX> {
    fn schema_name() -> Cow<'static, str> {
        format!("Window{MIN}To{MAX}").into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "integer", "minimum": MIN, "maximum": MAX, "default": DEFAULT })
    }
}
