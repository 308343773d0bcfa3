//! Every error code of the contract is reached over HTTP, with its status, by somebody who does the wrong thing.

mod hires;
mod requests;
mod spending;
mod tasks;
mod wallets;
mod work;

use std::collections::BTreeSet;
use std::pin::Pin;

use guildhall_core::Code;
use testkit::{Answer, Server, on_both_engines};

on_both_engines!(every_code_is_reached);

type Provoked<'s> = Pin<Box<dyn Future<Output = Answer> + Send + 's>>;

/// A code, its status, and what provokes it.
struct Row {
    code: Code,
    status: u16,
    provoke: for<'s> fn(&'s Server) -> Provoked<'s>,
}

macro_rules! rows {
    ($($code:ident $status:literal $module:ident :: $provoke:ident;)*) => {
        &[$(Row {
            code: Code::$code,
            status: $status,
            provoke: |server| Box::pin($module::$provoke(server)),
        }),*]
    };
}

/// What a request can provoke, in the contract's order.
const REACHED: &[Row] = rows! {
    Unauthorized 401 requests::unauthorized;
    Forbidden 403 requests::forbidden;
    NotFound 404 requests::not_found;
    InvalidRequest 400 requests::invalid_request;
    PayloadTooLarge 413 requests::payload_too_large;
    Conflict 409 requests::conflict;
    RateLimited 429 requests::rate_limited;
    AbsoluteDeadlineUnsupported 400 tasks::absolute_deadline_unsupported;
    InvalidTaskTerms 400 tasks::invalid_task_terms;
    SelectionActive 409 tasks::selection_active;
    AutoSelectionUnavailable 409 tasks::auto_selection_unavailable;
    FundingAlreadyActive 409 tasks::funding_already_active;
    SelectionRequired 409 tasks::selection_required;
    StaleTerms 409 work::stale_terms;
    ChainVerificationUnavailable 503 tasks::chain_verification_unavailable;
    ChallengeExpired 409 wallets::challenge_expired;
    SelectionReleased 409 work::selection_released;
    SignatureInvalid 400 wallets::signature_invalid;
    ActionAlreadySealed 409 wallets::action_already_sealed;
    ActionNotSealed 409 wallets::action_not_sealed;
    WrongRail 409 tasks::wrong_rail;
    OwnerMismatch 403 wallets::owner_mismatch;
    InsufficientCredits 402 spending::insufficient_credits;
    WorkerNotPresent 409 tasks::worker_not_present;
    DeliveryWindowClosed 409 work::delivery_window_closed;
    DemandInvalid 400 spending::demand_invalid;
    DemandForbidden 403 spending::demand_forbidden;
    DemandLimit 409 spending::demand_limit;
    DemandConflict 409 spending::demand_conflict;
    DemandEvidenceConflict 409 spending::demand_evidence_conflict;
    DemandEvidenceUnavailable 503 spending::demand_evidence_unavailable;
    DemandUnavailable 503 spending::demand_unavailable;
    ListingStateInvalid 409 hires::listing_state_invalid;
    ListingPublishBlocked 409 hires::listing_publish_blocked;
    ListingNotHireable 409 hires::listing_not_hireable;
    RequirementsIncomplete 400 hires::requirements_incomplete;
    ListingChanged 409 hires::listing_changed;
    HireLimitReached 409 hires::hire_limit_reached;
    OfferAcceptedByOwner 409 work::offer_accepted_by_owner;
    OfferDeclined 409 work::offer_declined;
    AgentPaused 409 work::agent_paused;
    WalletLinkExpired 409 wallets::wallet_link_expired;
    WalletSignatureInvalid 400 wallets::wallet_signature_invalid;
    WalletInUse 409 wallets::wallet_in_use;
    BuyerWalletChanged 409 wallets::buyer_wallet_changed;
    WalletNotLinked 409 wallets::wallet_not_linked;
    RejectWindowClosed 409 work::reject_window_closed;
    AgentCardUnavailable 503 requests::agent_card_unavailable;
    TaskCancelled 409 tasks::task_cancelled;
    TaskFunded 409 tasks::task_funded;
    OfferLapsed 409 work::offer_lapsed;
    ChangeRequestLimit 409 work::change_request_limit;
    NotUnderReview 409 work::not_under_review;
    DeliveryChanged 409 work::delivery_changed;
    VersionLimit 409 work::version_limit;
    DeliveryAlreadyRecorded 409 work::delivery_already_recorded;
    ReceiptUnusable 409 work::receipt_unusable;
};

/// What no request to this service can provoke, and why.
const PENDING: &[(Code, &str)] = &[
    (Code::Unavailable, "needs a store that cannot answer: held by tests/faults"),
    (Code::Internal, "is a fault, which no request may provoke: held by tests/faults"),
    (Code::WorkerWalletNotDeployed, "on the USDC rail"),
    (Code::FundingAuthorizationAlreadyExposed, "on the USDC rail"),
    (Code::DeliveryWindowOpen, "on the USDC rail"),
    (Code::EscrowStateConflict, "on the USDC rail"),
    (Code::ModelUnknown, "with inference"),
    (Code::InferenceInFlight, "with inference"),
    (Code::GatewayUnavailable, "with inference"),
];

/// "Code is one of: …": sixty-six, each reached or known to wait for something, and none both.
#[test]
fn no_code_is_left_out() {
    let reached = REACHED.iter().map(|row| row.code);
    let listed: Vec<Code> = reached.chain(PENDING.iter().map(|(code, _)| *code)).collect();
    let unique: BTreeSet<Code> = listed.iter().copied().collect();
    assert_eq!(listed.len(), unique.len(), "a code is listed twice");
    assert_eq!(unique, Code::ALL.iter().copied().collect());
    assert!(PENDING.iter().all(|(_, reason)| !reason.is_empty()));
}

/// "Error shape: `{"error": {"code", "reason", "suggestion"}}`", the code with the status that the reference names.
async fn every_code_is_reached(server: Server) {
    for row in REACHED {
        let answer = (row.provoke)(&server).await;
        answer.refused(row.status, row.code.as_str());
        assert_eq!(row.code.status(), row.status, "{}", row.code);
        assert!(answer.body["error"]["suggestion"].is_string(), "{}: {}", row.code, answer.text);
        let retry = matches!(row.status, 429 | 503);
        assert_eq!(answer.header("retry-after").is_some(), retry, "{}", row.code);
    }
    server.verify_ledger().await;
}
