//! The books that credits lie in.

use std::fmt;
use std::str::FromStr;

use crate::{AccountId, FundingId, TransferId};

/// How many stripes each book of the platform has. Every purchase touches such a book, so one row would be a queue.
pub const STRIPES: u8 = 16;

/// One account of the ledger.
///
/// The variants stand in the order of their texts, so that the derived order, in which books are locked, is the order
/// in which a database sorts them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Book {
    /// What a person can spend.
    Available(AccountId),
    /// What is held for a funding.
    Escrow(FundingId),
    /// What the platform has earned.
    Fees(Stripe),
    /// What was paid for inference.
    Inference(Stripe),
    /// Where credits come from. The only book that goes below zero: by as much as was ever issued.
    Issuance(Stripe),
    /// What a person's agents have reserved.
    Reserved(AccountId),
}

/// A part of a book of the platform.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Stripe(u8);

/// Where a hold comes from and goes back to: a person pays from what is available, an agent from what is reserved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Purse {
    /// What the person can spend.
    Available(AccountId),
    /// What the person's agents have reserved.
    Reserved(AccountId),
}

impl Stripe {
    /// The stripe of a transfer: its id's last digit, which is random.
    #[must_use]
    pub fn of(transfer: TransferId) -> Self {
        let last = transfer.to_string().pop().and_then(|digit| digit.to_digit(16));
        Self(last.and_then(|digit| u8::try_from(digit).ok()).unwrap_or(0) % STRIPES)
    }
}

impl Purse {
    /// Whose it is.
    #[must_use]
    pub const fn owner(self) -> AccountId {
        match self {
            Self::Available(owner) | Self::Reserved(owner) => owner,
        }
    }

    /// The book behind it.
    #[must_use]
    pub const fn book(self) -> Book {
        match self {
            Self::Available(owner) => Book::Available(owner),
            Self::Reserved(owner) => Book::Reserved(owner),
        }
    }
}

impl Book {
    /// The person whose own book it is. A funding's escrow has an owner too, but only its hold knows whom.
    #[must_use]
    pub const fn person(self) -> Option<AccountId> {
        match self {
            Self::Available(owner) | Self::Reserved(owner) => Some(owner),
            _ => None,
        }
    }

    /// Whether it may go below zero.
    #[must_use]
    pub const fn may_be_negative(self) -> bool {
        matches!(self, Self::Issuance(_))
    }
}

impl fmt::Display for Book {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Available(owner) => write!(f, "available:{owner}"),
            Self::Escrow(funding) => write!(f, "escrow:{funding}"),
            Self::Fees(Stripe(number)) => write!(f, "fees:{number:02}"),
            Self::Inference(Stripe(number)) => write!(f, "inference:{number:02}"),
            Self::Issuance(Stripe(number)) => write!(f, "issuance:{number:02}"),
            Self::Reserved(owner) => write!(f, "reserved:{owner}"),
        }
    }
}

impl FromStr for Book {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (kind, rest) = text.split_once(':').ok_or_else(|| format!("no book: {text}"))?;
        match kind {
            "available" => rest.parse().map(Self::Available),
            "escrow" => rest.parse().map(Self::Escrow),
            "fees" => rest.parse().map(Self::Fees),
            "inference" => rest.parse().map(Self::Inference),
            "issuance" => rest.parse().map(Self::Issuance),
            "reserved" => rest.parse().map(Self::Reserved),
            _ => Err(format!("no book: {text}")),
        }
    }
}

impl FromStr for Stripe {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let two_digits = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit());
        let number = if two_digits { text.parse().ok() } else { None };
        let number = number.filter(|number| *number < STRIPES);
        number.map(Self).ok_or_else(|| format!("no stripe: {text}"))
    }
}
