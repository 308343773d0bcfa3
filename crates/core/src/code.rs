//! The contract's error codes: every one with its status, its cause and what to do about it.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};

macro_rules! codes {
    ($($name:ident $text:literal $status:literal $cause:literal $suggestion:literal;)*) => {
        /// Why a request was refused.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $(#[doc = $cause] $name,)*
        }

        impl Code {
            /// Every code there is.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// The code as the contract writes it.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $text),* }
            }

            /// The HTTP status that goes with it. 405, 408, 410, 415 and 431 carry the code of their family.
            #[must_use]
            pub const fn status(self) -> u16 {
                match self { $(Self::$name => $status),* }
            }

            /// What it means, for the reference.
            #[must_use]
            pub const fn cause(self) -> &'static str {
                match self { $(Self::$name => $cause),* }
            }

            /// What to do about it when the refusal itself does not know better.
            #[must_use]
            pub const fn suggestion(self) -> Option<&'static str> {
                match self { $(Self::$name => Some($suggestion)),* }
            }
        }
    };
}

codes! {
    Unauthorized "unauthorized" 401
        "The request carries no credential, or one that is not valid (any more)."
        "Send a live credential: a session token as `Authorization: Bearer`, or an agent's key as `X-Api-Key`.";
    Forbidden "forbidden" 403
        "The credential is valid, and this operation is not for its kind or its scopes."
        "Use a credential that the operation lists, with the scope that the reason names.";
    NotFound "not_found" 404
        "Nothing by that name exists for this caller."
        "Check the id, and that it belongs to the account or agent behind the credential.";
    InvalidRequest "invalid_request" 400
        "The request does not have the shape that the operation takes."
        "Correct the field that the reason names and send the request again.";
    PayloadTooLarge "payload_too_large" 413
        "The body is larger than the operation takes."
        "Send a smaller body; the reason names the limit.";
    Conflict "conflict" 409
        "The request does not fit the present state of what it acts on."
        "Read the resource again and decide anew.";
    RateLimited "rate_limited" 429
        "The quota of the current window is used up."
        "Wait for the seconds in Retry-After before the next request.";
    Unavailable "unavailable" 503
        "The service cannot do this at the moment; nothing was lost."
        "Send the same request with the same Idempotency-Key again after Retry-After seconds.";
    Internal "internal" 500
        "A fault of the service."
        "Send the same request with the same Idempotency-Key again; if it stays, report the Request-Id.";
    AbsoluteDeadlineUnsupported "absolute_deadline_unsupported" 400
        "A task names an instant where only windows in seconds are taken."
        "Give accept_window_seconds and delivery_window_seconds instead of an instant.";
    InvalidTaskTerms "invalid_task_terms" 400
        "The terms of a task contradict each other or its rail."
        "Change the terms that the reason names.";
    SelectionActive "selection_active" 409
        "A selection is already in force."
        "Read the task; releaseSelection ends the selection.";
    WorkerWalletNotDeployed "worker_wallet_not_deployed" 409
        "The worker's contract wallet has no code on the chain yet."
        "The worker deploys the wallet or sets another payout wallet (setPayoutWallet).";
    AutoSelectionUnavailable "auto_selection_unavailable" 409
        "No quote can be selected automatically."
        "Wait for quotes, or name one with quote_id.";
    FundingAlreadyActive "funding_already_active" 409
        "The task is funded, or its funding is under way."
        "Read the task; its credit_funding or escrow shows the state.";
    FundingAuthorizationAlreadyExposed "funding_authorization_already_exposed" 409
        "A signed funding authorization may still be used on the chain."
        "Wait until it expires or is cancelled on the chain; getAction shows it.";
    SelectionRequired "selection_required" 409
        "There is no selection to fund."
        "Select a quote first (selectQuote).";
    StaleTerms "stale_terms" 409
        "The terms have changed since they were read."
        "Read the offer or action again and quote its terms_hash and selection_version.";
    ChainVerificationUnavailable "chain_verification_unavailable" 503
        "The chain cannot be read reliably at the moment."
        "Send the same request again after Retry-After seconds.";
    ChallengeExpired "challenge_expired" 409
        "The wallet challenge is too old or was used."
        "Ask for a new one with createWalletChallenge.";
    SelectionReleased "selection_released" 409
        "The selection was released."
        "Read the task; quote or select anew.";
    SignatureInvalid "signature_invalid" 400
        "The signature is not the signer's over exactly the prepared payload."
        "Sign the payload of getAction with the wallet that it names.";
    ActionAlreadySealed "action_already_sealed" 409
        "The action is sealed."
        "Read it with getAction.";
    ActionNotSealed "action_not_sealed" 409
        "The action is not sealed yet."
        "Seal it first (sealAction).";
    WrongRail "wrong_rail" 409
        "The operation is not one of the task's rail."
        "Use the rail that the task names.";
    OwnerMismatch "owner_mismatch" 403
        "The caller is not the party that this step belongs to."
        "The party named in the reason has to do this.";
    InsufficientCredits "insufficient_credits" 402
        "The available credits do not cover the amount."
        "Add credits (purchaseCredits) or ask for less; getCredits shows the balance.";
    WorkerNotPresent "worker_not_present" 409
        "The agent has no live presence."
        "Choose an agent that is checked in, or try again when it is.";
    ModelUnknown "model_unknown" 400
        "No such model is offered."
        "Choose one from listModels.";
    InferenceInFlight "inference_in_flight" 409
        "The same inference is still running."
        "Wait for it, then read it with getInference.";
    GatewayUnavailable "gateway_unavailable" 503
        "The inference gateway does not answer."
        "Send the same request again after Retry-After seconds.";
    DeliveryWindowClosed "delivery_window_closed" 409
        "The time to deliver is over."
        "Read the task; its funding shows where the money went.";
    DeliveryWindowOpen "delivery_window_open" 409
        "The worker still has time to deliver."
        "Wait until deliver_by_at has passed.";
    DemandInvalid "demand_invalid" 400
        "The spending command makes no sense."
        "Check operation and amount; preflightCommand tries them without spending.";
    DemandForbidden "demand_forbidden" 403
        "The connection may not spend, or not for this."
        "Ask the owner for what the reason names; preflightCommand shows every rule.";
    DemandLimit "demand_limit" 409
        "A cap of the spending policy would be passed."
        "Ask for less or wait for the reset; preflightCommand shows what remains.";
    DemandConflict "demand_conflict" 409
        "Another command for the same thing is live, or the policy changed under it."
        "Read listAgentBuyerCommands and decide anew.";
    DemandEvidenceConflict "demand_evidence_conflict" 409
        "The evidence contradicts what is on record."
        "Read the command and its task again and quote what they show.";
    DemandEvidenceUnavailable "demand_evidence_unavailable" 503
        "The evidence cannot be read at the moment; the reservation stays held."
        "Send the same request again after Retry-After seconds.";
    DemandUnavailable "demand_unavailable" 503
        "Spending is switched off by the owner or the operator."
        "Wait until it is switched on again; the owner sees it in the policy.";
    ListingStateInvalid "listing_state_invalid" 409
        "The listing is not in a state that allows this."
        "Read the listing; its state shows what is possible.";
    ListingPublishBlocked "listing_publish_blocked" 409
        "Something keeps the listing from being published."
        "Mend what the reason names, then publish again.";
    ListingNotHireable "listing_not_hireable" 409
        "The listing cannot be hired now."
        "Choose another listing, or try when it is published.";
    RequirementsIncomplete "requirements_incomplete" 400
        "Answers that the listing requires are missing or do not fit."
        "Answer every requirement that the reason names.";
    ListingChanged "listing_changed" 409
        "The listing has a newer version than the one quoted."
        "Read the listing again and quote its version.";
    HireLimitReached "hire_limit_reached" 409
        "The listing has as many open hires as it takes."
        "Try again when one of them has ended.";
    OfferAcceptedByOwner "offer_accepted_by_owner" 409
        "The agent's owner has accepted the offer."
        "Nothing is left to accept; go on with the work.";
    OfferDeclined "offer_declined" 409
        "The offer was declined."
        "Read listRelayOffers for open ones.";
    AgentPaused "agent_paused" 409
        "The agent is paused by its owner."
        "The owner resumes it with resumeAgent.";
    WalletLinkExpired "wallet_link_expired" 409
        "The link is too old or was used."
        "Make a new one with createWalletLink.";
    WalletSignatureInvalid "wallet_signature_invalid" 400
        "The signature is not the wallet's over the challenge."
        "Sign exactly the message of createWalletChallenge with that wallet.";
    WalletInUse "wallet_in_use" 409
        "The wallet is linked to another account."
        "Use another wallet, or unlink it there first.";
    BuyerWalletChanged "buyer_wallet_changed" 409
        "The buyer's wallet is not the one the step was prepared for."
        "Prepare the step again.";
    WalletNotLinked "wallet_not_linked" 409
        "No such wallet is linked to the account."
        "Link it first (createWalletChallenge, linkWallet).";
    RejectWindowClosed "reject_window_closed" 409
        "The time to reject is over."
        "Read the task; silence has accepted the delivery.";
    EscrowStateConflict "escrow_state_conflict" 409
        "The escrow is in another state than the step needs."
        "Read the task; its escrow shows the state.";
    AgentCardUnavailable "agent_card_unavailable" 503
        "The agent's card cannot be built or fetched at the moment."
        "Check the card's source and send the request again after Retry-After seconds.";
    TaskCancelled "task_cancelled" 409
        "The task was cancelled."
        "Read listTasks for open ones.";
    TaskFunded "task_funded" 409
        "The task is funded."
        "Read the task; allowed_actions lists what is possible now.";
    OfferLapsed "offer_lapsed" 409
        "The time to accept the offer is over."
        "Read listRelayOffers for open ones.";
    ChangeRequestLimit "change_request_limit" 409
        "No more changes can be asked for."
        "Accept or reject the delivery.";
    NotUnderReview "not_under_review" 409
        "The delivery is not under review."
        "Read the task; allowed_actions lists what is possible now.";
    DeliveryChanged "delivery_changed" 409
        "There is a newer delivery than the one quoted."
        "Read listDeliveries and quote the newest digest.";
    VersionLimit "version_limit" 409
        "No more versions can be saved."
        "Use one of the versions there are.";
    DeliveryAlreadyRecorded "delivery_already_recorded" 409
        "This delivery is on record already."
        "Read listDeliveries.";
    ReceiptUnusable "receipt_unusable" 409
        "The receipt is void, forged, of another service or reviewed already."
        "Read getReceipt for its state.";
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl JsonSchema for Code {
    fn schema_name() -> Cow<'static, str> {
        "ErrorCode".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        // Extensible: the values are named for the reader, and a client must not fail on a new one.
        let known: Vec<&str> = Self::ALL.iter().map(|code| code.as_str()).collect();
        json_schema!({ "type": "string", "examples": known })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The list of the contract, in its order.
    const CONTRACT: &str = "unauthorized, forbidden, not_found, invalid_request, payload_too_large, conflict, rate_limited, unavailable, internal, absolute_deadline_unsupported, invalid_task_terms, selection_active, worker_wallet_not_deployed, auto_selection_unavailable, funding_already_active, funding_authorization_already_exposed, selection_required, stale_terms, chain_verification_unavailable, challenge_expired, selection_released, signature_invalid, action_already_sealed, action_not_sealed, wrong_rail, owner_mismatch, insufficient_credits, worker_not_present, model_unknown, inference_in_flight, gateway_unavailable, delivery_window_closed, delivery_window_open, demand_invalid, demand_forbidden, demand_limit, demand_conflict, demand_evidence_conflict, demand_evidence_unavailable, demand_unavailable, listing_state_invalid, listing_publish_blocked, listing_not_hireable, requirements_incomplete, listing_changed, hire_limit_reached, offer_accepted_by_owner, offer_declined, agent_paused, wallet_link_expired, wallet_signature_invalid, wallet_in_use, buyer_wallet_changed, wallet_not_linked, reject_window_closed, escrow_state_conflict, agent_card_unavailable, task_cancelled, task_funded, offer_lapsed, change_request_limit, not_under_review, delivery_changed, version_limit, delivery_already_recorded, receipt_unusable";

    #[test]
    fn codes_are_the_contracts_sixty_six() {
        let ours: Vec<&str> = Code::ALL.iter().map(|code| code.as_str()).collect();
        assert_eq!(ours, CONTRACT.split(", ").collect::<Vec<_>>());
        assert_eq!(ours.len(), 66);
    }

    #[test]
    fn every_code_says_what_to_do() {
        for code in Code::ALL {
            assert!(code.cause().ends_with('.'), "{code}");
            assert!(code.suggestion().is_some_and(|text| text.ends_with('.')), "{code}");
            assert!(matches!(code.status(), 400..=409 | 413 | 429 | 500 | 503), "{code}");
        }
    }
}
