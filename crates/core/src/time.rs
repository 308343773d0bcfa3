//! Instants, as milliseconds since the epoch.

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// An instant with the precision that is stored and shown: a millisecond.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

impl Timestamp {
    /// An instant from milliseconds since 1970-01-01T00:00:00Z.
    #[must_use]
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    /// Milliseconds since 1970-01-01T00:00:00Z.
    #[must_use]
    pub const fn millis(self) -> i64 {
        self.0
    }

    /// The instant `span` later, or the last one there is.
    #[must_use]
    pub fn after(self, span: Duration) -> Self {
        Self(self.0.saturating_add(millis(span)))
    }

    /// The instant `span` earlier, or the first one there is.
    #[must_use]
    pub fn before(self, span: Duration) -> Self {
        Self(self.0.saturating_sub(millis(span)))
    }

    /// How long after `earlier` this is; zero if it is not.
    #[must_use]
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }

    /// The first instant of this one's UTC day.
    #[must_use]
    pub fn day(self) -> Self {
        Self(self.0 - self.0.rem_euclid(86_400_000))
    }

    /// The first instant of this one's UTC month.
    #[must_use]
    pub fn month(self) -> Self {
        self.civil().map_or(self, |date| start_of_month(date.date()).unwrap_or(self))
    }

    /// The first instant of the UTC day after this one's.
    #[must_use]
    pub fn next_day(self) -> Self {
        Self(self.day().0.saturating_add(86_400_000))
    }

    /// The first instant of the UTC month after this one's.
    #[must_use]
    pub fn next_month(self) -> Self {
        // Thirty-two days after the first of a month is always in the next one.
        Self(self.month().0.saturating_add(32 * 86_400_000)).month()
    }

    fn civil(self) -> Option<jiff::civil::DateTime> {
        let instant = jiff::Timestamp::from_millisecond(self.0).ok()?;
        Some(jiff::tz::Offset::UTC.to_datetime(instant))
    }
}

fn start_of_month(date: jiff::civil::Date) -> Option<Timestamp> {
    let midnight = date.first_of_month().at(0, 0, 0, 0);
    let instant = jiff::tz::Offset::UTC.to_timestamp(midnight).ok()?;
    Some(Timestamp(instant.as_millisecond()))
}

fn millis(span: Duration) -> i64 {
    i64::try_from(span.as_millis()).unwrap_or(i64::MAX)
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.civil().filter(|civil| civil.year() >= 0).map(digits);
        f.write_str(
            text.as_ref().and_then(|text| std::str::from_utf8(text).ok()).unwrap_or("out of range"),
        )
    }
}

/// `2026-11-01T12:00:00.000Z`. Instants are in every answer, several times, and always of this one shape.
fn digits(civil: jiff::civil::DateTime) -> [u8; 24] {
    let mut text = *b"0000-00-00T00:00:00.000Z";
    let two = |number: i8| i32::from(number);
    for (end, number) in [
        (4, i32::from(civil.year())),
        (7, two(civil.month())),
        (10, two(civil.day())),
        (13, two(civil.hour())),
        (16, two(civil.minute())),
        (19, two(civil.second())),
        (23, i32::from(civil.millisecond())),
    ] {
        let mut rest = number;
        for digit in text.iter_mut().take(end).rev().take_while(|digit| digit.is_ascii_digit()) {
            *digit = b'0' + u8::try_from(rest % 10).unwrap_or(0);
            rest /= 10;
        }
    }
    text
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<'de, str>::deserialize(deserializer)?;
        let instant: jiff::Timestamp = text.parse().map_err(|_| {
            de::Error::custom("must be an RFC 3339 date-time such as 2026-11-01T12:00:00Z")
        })?;
        Ok(Self(instant.as_millisecond()))
    }
}

impl JsonSchema for Timestamp {
    fn schema_name() -> Cow<'static, str> {
        "Timestamp".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "date-time" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        serde_json::from_value(serde_json::json!(text)).unwrap()
    }

    #[test]
    fn shows_milliseconds_always() {
        assert_eq!(at("2026-11-01T12:00:00Z").to_string(), "2026-11-01T12:00:00.000Z");
        assert_eq!(at("2026-11-01T12:00:00.5+01:00").to_string(), "2026-11-01T11:00:00.500Z");
    }

    #[test]
    fn every_instant_is_shown_as_it_is_read() {
        for millis in [0, 999, 951_782_399_999, 951_782_400_000, 253_402_200_000_000] {
            let shown = Timestamp(millis).to_string();
            assert_eq!(shown.len(), 24, "{shown}");
            assert_eq!(at(&shown), Timestamp(millis), "{shown}");
        }
        assert_eq!(Timestamp(951_782_400_000).to_string(), "2000-02-29T00:00:00.000Z");
    }

    #[test]
    fn windows_are_utc_days_and_months() {
        let instant = at("2024-02-29T23:59:59.999Z");
        assert_eq!(instant.day(), at("2024-02-29T00:00:00Z"));
        assert_eq!(instant.next_day(), at("2024-03-01T00:00:00Z"));
        assert_eq!(instant.month(), at("2024-02-01T00:00:00Z"));
        assert_eq!(instant.next_month(), at("2024-03-01T00:00:00Z"));
        assert_eq!(at("2026-12-31T12:00:00Z").next_month(), at("2027-01-01T00:00:00Z"));
    }

    #[test]
    fn refuses_what_is_no_instant() {
        for bad in ["", "yesterday", "2026-11-01", "2026-13-01T00:00:00Z", "1700000000"] {
            assert!(serde_json::from_value::<Timestamp>(serde_json::json!(bad)).is_err(), "{bad}");
        }
    }
}
