//! Every pair of state and event of every lifecycle, held against tables that were written by hand, and the page that
//! shows the tables, rendered from the code.

#![expect(clippy::panic, reason = "tests")]

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use guildhall_core::engagement::{AcceptanceState, FundingState, OfferStatus, SelectionStatus};
use guildhall_core::lifecycle::{Lifecycle, markdown};
use guildhall_core::{action, command, delivery, dispute, listing, quote, task};

/// Holds a lifecycle against lines of `from[, from] : event -> to`; the events are named as in the code.
fn check<L: Lifecycle>(table: &str) {
    let mut expected = BTreeSet::new();
    for line in table.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (from, rest) = line.split_once(':').unwrap_or_else(|| panic!("{line}"));
        let (event, to) = rest.split_once("->").unwrap_or_else(|| panic!("{line}"));
        for state in from.split(',') {
            let fresh = expected.insert(format!("{} {} {}", state.trim(), event.trim(), to.trim()));
            assert!(fresh, "{line} is there twice");
        }
    }
    for state in L::STATES {
        for event in L::EVENTS {
            let prefix = format!("{} {event:?} ", state.name());
            let wanted: Vec<_> =
                expected.iter().filter_map(|line| line.strip_prefix(&prefix)).collect();
            let got: Vec<_> = state.after(*event).iter().map(|next| next.name()).collect();
            assert_eq!(got, wanted, "{}: {} on {event:?}", L::NOUN, state.name());
        }
    }
    let moves: usize = L::MOVES.iter().map(|line| line.from.len()).sum();
    assert_eq!(moves, expected.len(), "{} has moves that no table names", L::NOUN);
}

#[test]
fn every_pair_of_a_task() {
    check::<task::Status>(
        "draft: Opened -> open
         draft: Abandoned -> cancelled
         open: Selected -> selected
         open: Aged -> cancelled
         selected: Funded -> funded
         selected: Released -> open
         funded: WorkerAccepted -> in_progress
         funded: WorkerDeclined -> open
         funded: OfferLapsed -> open
         funded: Revoked -> open
         in_progress, changes_requested, under_review: Delivered -> under_review
         under_review: ChangesAsked -> changes_requested
         under_review, rejected, disputed: Approved -> completed
         under_review: AutoApproved -> completed
         under_review: Rejected -> rejected
         in_progress, changes_requested: Undelivered -> refunded
         in_progress, changes_requested, under_review, rejected, disputed: Surrendered -> refunded
         rejected: Disputed -> disputed
         rejected: Conceded -> refunded
         disputed: Shared -> completed
         disputed: Voided -> refunded
         draft, open, selected: Cancelled -> cancelled",
    );
}

#[test]
fn every_pair_of_a_quote() {
    check::<quote::Status>(
        "draft: Submitted -> submitted
         draft, submitted: Withdrawn -> withdrawn
         submitted: Selected -> selected
         submitted, selected: Declined -> declined
         submitted, selected: Expired -> expired
         selected: Released -> submitted
         selected: Lapsed -> lapsed
         selected: Fulfilled -> fulfilled
         selected: Unfulfilled -> unfulfilled",
    );
}

#[test]
fn every_pair_of_an_engagement() {
    check::<SelectionStatus>("active: Accepted -> accepted\nactive: Released -> released");
    check::<OfferStatus>(
        "open: Accepted -> accepted
         open: Declined -> declined
         open: Lapsed -> lapsed
         open: Released -> released",
    );
    check::<AcceptanceState>(
        "waiting: Accepted -> accepted
         waiting: Declined -> declined
         waiting: Lapsed -> lapsed",
    );
    check::<FundingState>(
        "intent: Held -> held
         intent: Voided -> void
         held: Released -> released
         held: Refunded -> refunded
         held: Split -> split",
    );
}

#[test]
fn every_pair_of_a_delivery_and_a_dispute() {
    check::<delivery::Status>(
        "submitted, rejected: Accepted -> accepted
         submitted: ChangesAsked -> changes_requested
         submitted: Rejected -> rejected
         submitted: Superseded -> superseded",
    );
    check::<dispute::Status>(
        "open: Settled -> settled
         open: Ruled -> ruled
         open: Surrendered -> surrendered
         open: Released -> released
         open: Defaulted -> defaulted",
    );
}

#[test]
fn every_pair_of_a_command() {
    check::<command::State>(
        "awaiting_approval: Executed -> reserved
         awaiting_approval: Denied -> denied
         awaiting_approval: Expired -> expired
         reserved: Charged -> charged
         reserved: Released -> released",
    );
}

#[test]
fn every_pair_of_an_action() {
    check::<action::Status>(
        "prepared: Sealed -> sealed
         sealed: Submitted -> submitted
         sealed, submitted: Confirmed -> confirmed
         submitted: Failed -> failed
         prepared, sealed, submitted: Expired -> expired
         prepared: Cancelled -> cancelled
         prepared: Superseded -> superseded",
    );
}

#[test]
fn every_pair_of_a_listing() {
    check::<listing::State>(
        "draft, paused: Published -> published
         published: Paused -> paused
         draft, published, paused: Retired -> retired
         draft: Edited -> draft
         published: Edited -> published
         paused: Edited -> paused",
    );
}

/// `docs/lifecycles.md` is what the code says. `GUILDHALL_BLESS=1` writes it anew.
#[test]
fn the_page_shows_the_tables() {
    let mut page = String::from(
        "# Lifecycles\n\nRendered from the code; what a table does not list is refused. A deadline that has passed \
         counts as passed, whether or not its timer has run.\n",
    );
    for table in [
        markdown::<task::Status>(),
        markdown::<quote::Status>(),
        markdown::<SelectionStatus>(),
        markdown::<OfferStatus>(),
        markdown::<AcceptanceState>(),
        markdown::<FundingState>(),
        markdown::<delivery::Status>(),
        markdown::<dispute::Status>(),
        markdown::<command::State>(),
        markdown::<action::Status>(),
        markdown::<listing::State>(),
    ] {
        write!(page, "\n{table}").expect("a string takes it");
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/lifecycles.md");
    if std::env::var_os("GUILDHALL_BLESS").is_some() {
        std::fs::write(&path, &page).expect("the page is written");
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(kept, page, "run the test with GUILDHALL_BLESS=1");
}
