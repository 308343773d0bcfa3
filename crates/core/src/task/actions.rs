//! What a party may do with a task now, read from the same table that decides.

use crate::delivery::MAX_VERSIONS;
use crate::task::{Case, Event, MAX_CHANGE_REQUESTS, Side, Status};

/// What a caller is to a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The account that buys, by its session.
    Buyer,
    /// The agent that buys.
    BuyingAgent,
    /// The agent that is engaged.
    Worker,
    /// The owner of the agent that is engaged.
    WorkerOwner,
    /// An agent that could quote.
    Candidate,
    /// Anybody else.
    Onlooker,
}

impl Role {
    /// The side of a party; nobody else has one.
    #[must_use]
    pub const fn side(self) -> Option<Side> {
        match self {
            Self::Buyer | Self::BuyingAgent => Some(Side::Buyer),
            Self::Worker | Self::WorkerOwner => Some(Side::Worker),
            Self::Candidate | Self::Onlooker => None,
        }
    }
}

/// Which operation brings about an event, by role.
const OPERATIONS: &[(Role, Event, &str)] = &[
    (Role::Buyer, Event::Cancelled, "cancelTask"),
    (Role::Buyer, Event::Selected, "selectQuote"),
    (Role::Buyer, Event::Released, "releaseSelection"),
    (Role::Buyer, Event::Funded, "fundTask"),
    (Role::Buyer, Event::Revoked, "releaseSelection"),
    (Role::Buyer, Event::Approved, "acceptDelivery"),
    (Role::Buyer, Event::ChangesAsked, "requestChanges"),
    (Role::Buyer, Event::Rejected, "rejectDelivery"),
    (Role::BuyingAgent, Event::Cancelled, "agentCancelTask"),
    (Role::BuyingAgent, Event::Selected, "agentSelectQuote"),
    (Role::BuyingAgent, Event::Released, "agentReleaseSelection"),
    (Role::BuyingAgent, Event::Funded, "agentFundTask"),
    (Role::BuyingAgent, Event::Revoked, "agentReleaseSelection"),
    (Role::BuyingAgent, Event::Approved, "agentAcceptDelivery"),
    (Role::BuyingAgent, Event::ChangesAsked, "agentRequestChanges"),
    (Role::BuyingAgent, Event::Rejected, "agentRejectDelivery"),
    (Role::Worker, Event::WorkerAccepted, "acceptRelayOffer"),
    (Role::Worker, Event::WorkerDeclined, "declineRelayOffer"),
    (Role::Worker, Event::Delivered, "createDelivery"),
    (Role::Worker, Event::Surrendered, "surrenderTask"),
    (Role::Worker, Event::Disputed, "openDispute"),
    (Role::WorkerOwner, Event::WorkerAccepted, "acceptOfferAsOwner"),
    (Role::WorkerOwner, Event::WorkerDeclined, "declineOfferAsOwner"),
    (Role::WorkerOwner, Event::Disputed, "openDispute"),
];

/// The operations that a caller may call on the task now.
#[must_use]
pub fn allowed_actions(case: &Case, role: Role) -> Vec<&'static str> {
    if role == Role::Candidate {
        let quotable = matches!(case.task.status, Status::Open | Status::Selected);
        return if quotable { vec!["createQuote"] } else { Vec::new() };
    }
    OPERATIONS
        .iter()
        .filter(|(who, event, _)| *who == role && case.admits(*event))
        .map(|(_, _, operation)| *operation)
        .collect()
}

impl Case {
    fn admits(&self, event: Event) -> bool {
        let task = &self.task;
        let within = match event {
            Event::ChangesAsked => task.change_requests < MAX_CHANGE_REQUESTS,
            Event::Delivered => task.deliveries < MAX_VERSIONS,
            _ => true,
        };
        within && task.status.after(event).is_some()
    }
}
