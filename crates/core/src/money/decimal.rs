//! Credits as people write them: `2.5`, with at most six decimals, without a sign and without an exponent.

use std::str::FromStr;

use super::Credits;

const DECIMALS: usize = 6;

impl FromStr for Credits {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = "must be an amount of credits with at most six decimals, at most 1000000000";
        let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
        let digits =
            |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        // Ten digits of whole credits reach the most there may be, so nothing here can overflow.
        if !digits(whole) || !digits(part) || whole.len() > 10 || part.len() > DECIMALS {
            return Err(wrong);
        }
        let micros = format!("{whole}{part:0<DECIMALS$}").parse().map_err(|_| wrong)?;
        Some(Self::from_micros(micros)).filter(|amount| *amount <= Self::MAX).ok_or(wrong)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// "Input with more decimals, a sign, an exponent, … or above 1,000,000,000 units is 400."
    #[test]
    fn what_is_no_amount_is_refused() {
        for bad in [
            "",
            ".",
            "1.",
            ".5",
            "+1",
            "-1",
            "1e3",
            "1.0000000",
            " 1",
            "1,5",
            "1000000000.000001",
            "10000000000",
            "99999999999999999999",
            "１",
            "0x1",
            "1.2.3",
        ] {
            assert!(bad.parse::<Credits>().is_err(), "{bad}");
        }
    }

    #[test]
    fn what_is_one_is_read_to_the_micro() {
        for (text, micros) in [
            ("0", 0),
            ("100", 100_000_000),
            ("2.5", 2_500_000),
            ("2.500000", 2_500_000),
            ("0.000001", 1),
            ("007", 7_000_000),
            ("1000000000", 1_000_000_000_000_000),
        ] {
            assert_eq!(text.parse(), Ok(Credits::from_micros(micros)), "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_shown_is_read_back(micros in 0..=Credits::MAX.micros()) {
            let amount = Credits::from_micros(micros);
            prop_assert_eq!(amount.to_string().parse(), Ok(amount));
        }
    }
}
