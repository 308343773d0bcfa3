//! Every operation there is.

use crate::account::{GetMe, UpdateMe};
use crate::activity::{ListActivity, StreamActivity};
use crate::agent_buyer::{
    AgentAcceptDelivery, AgentCancelTask, AgentFundTask, AgentPostTask, AgentRejectDelivery,
    AgentReleaseSelection, AgentRequestChanges, AgentSelectQuote, ApproveCommand, DenyCommand,
    GetAgentBuyerCommand, ListAgentBuyerCommands, SettleCommand,
};
use crate::agents::{
    CreateAgent, GetMyAgent, ListMyAgents, PauseAgent, PublishAgent, ResumeAgent, RetireAgent,
    UnpublishAgent, UpdateAgent,
};
use crate::checks::CheckTask;
use crate::connections::{
    BindConnectionSpendPolicy, CreateConnection, GetConnection, ListClientCatalog, ListConnections,
    RevokeConnection, RotateConnection, UnbindConnectionSpendPolicy, UpdateConnectionGrant,
};
use crate::credits::{GetCredits, ListCreditEntries};
use crate::deliveries::{
    CreateDelivery, GetDelivery, ListDeliveries, RejectDelivery, RequestChanges, SurrenderTask,
};
use crate::disputes::{
    AcceptDispute, AgentAcceptDispute, AgentOfferShare, GetDispute, ListDisputes, OfferShare,
    OpenDispute,
};
use crate::hosted::{
    DeleteKnowledgeFile, GetHostedVersion, ListHostedVersions, ListKnowledgeFiles,
    SaveHostedVersion, UploadKnowledgeFile,
};
use crate::notifications::ListNotifications;
use crate::operation::{Entry, entry};
use crate::policies::{
    CreateSpendPolicy, DeactivateSpendPolicy, GetSpendPolicy, ListSpendPolicies, UpdateSpendPolicy,
};
use crate::relay::{
    AcceptOfferAsOwner, AcceptRelayOffer, CheckIn, CheckOut, DeclineOfferAsOwner,
    DeclineRelayOffer, GetRelayOffer, ListAgentOffers, ListRelayOffers,
};

/// The operations, in the order of the reference.
pub static REGISTRY: &[Entry] = &[
    entry::<GetMe>(),
    entry::<UpdateMe>(),
    entry::<ListMyAgents>(),
    entry::<CreateAgent>(),
    entry::<GetMyAgent>(),
    entry::<UpdateAgent>(),
    entry::<PublishAgent>(),
    entry::<UnpublishAgent>(),
    entry::<PauseAgent>(),
    entry::<ResumeAgent>(),
    entry::<RetireAgent>(),
    entry::<SaveHostedVersion>(),
    entry::<ListHostedVersions>(),
    entry::<GetHostedVersion>(),
    entry::<UploadKnowledgeFile>(),
    entry::<ListKnowledgeFiles>(),
    entry::<DeleteKnowledgeFile>(),
    entry::<ListAgentOffers>(),
    entry::<AcceptOfferAsOwner>(),
    entry::<DeclineOfferAsOwner>(),
    entry::<ListConnections>(),
    entry::<CreateConnection>(),
    entry::<GetConnection>(),
    entry::<RotateConnection>(),
    entry::<UpdateConnectionGrant>(),
    entry::<RevokeConnection>(),
    entry::<BindConnectionSpendPolicy>(),
    entry::<UnbindConnectionSpendPolicy>(),
    entry::<ListClientCatalog>(),
    entry::<CreateSpendPolicy>(),
    entry::<ListSpendPolicies>(),
    entry::<GetSpendPolicy>(),
    entry::<UpdateSpendPolicy>(),
    entry::<DeactivateSpendPolicy>(),
    entry::<ListAgentBuyerCommands>(),
    entry::<GetAgentBuyerCommand>(),
    entry::<AgentPostTask>(),
    entry::<AgentSelectQuote>(),
    entry::<AgentFundTask>(),
    entry::<AgentAcceptDelivery>(),
    entry::<AgentRequestChanges>(),
    entry::<AgentRejectDelivery>(),
    entry::<AgentReleaseSelection>(),
    entry::<AgentCancelTask>(),
    entry::<AgentOfferShare>(),
    entry::<AgentAcceptDispute>(),
    entry::<SettleCommand>(),
    entry::<ApproveCommand>(),
    entry::<DenyCommand>(),
    entry::<CheckTask>(),
    entry::<CheckIn>(),
    entry::<CheckOut>(),
    entry::<ListRelayOffers>(),
    entry::<GetRelayOffer>(),
    entry::<AcceptRelayOffer>(),
    entry::<DeclineRelayOffer>(),
    entry::<CreateDelivery>(),
    entry::<ListDeliveries>(),
    entry::<GetDelivery>(),
    entry::<RequestChanges>(),
    entry::<RejectDelivery>(),
    entry::<SurrenderTask>(),
    entry::<OpenDispute>(),
    entry::<ListDisputes>(),
    entry::<GetDispute>(),
    entry::<OfferShare>(),
    entry::<AcceptDispute>(),
    entry::<GetCredits>(),
    entry::<ListCreditEntries>(),
    entry::<ListNotifications>(),
    entry::<ListActivity>(),
    entry::<StreamActivity>(),
];
