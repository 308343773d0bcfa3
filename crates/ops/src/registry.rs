//! Every operation there is.

use crate::account::{GetMe, UpdateMe};
use crate::actions::{CancelAction, GetAction, ListActions, SealAction, SubmitAction};
use crate::activity::{ListActivity, StreamActivity};
use crate::agent_buyer::{
    AgentAcceptDelivery, AgentCancelTask, AgentFundTask, AgentHireListing, AgentPostTask,
    AgentRejectDelivery, AgentReleaseSelection, AgentRequestChanges, AgentSelectQuote,
    ApproveCommand, DenyCommand, GetAgentBuyerCommand, ListAgentBuyerCommands, PreflightCommand,
    SettleCommand,
};
use crate::agents::{
    CreateAgent, GetMyAgent, ListMyAgents, PauseAgent, PublishAgent, ResumeAgent, RetireAgent,
    SetPayoutWallet, UnpublishAgent, UpdateAgent,
};
use crate::buying::{
    AcceptDelivery, CancelTask, CreateTask, FundTask, HireListing, RefundTask, ReleaseSelection,
    SelectQuote,
};
use crate::cards::GetAgentCard;
use crate::checks::CheckTask;
use crate::connections::{
    BindConnectionSpendPolicy, CreateConnection, GetConnection, ListClientCatalog, ListConnections,
    RevokeConnection, RotateConnection, UnbindConnectionSpendPolicy, UpdateConnectionGrant,
};
use crate::credits::{GetCredits, ListCreditEntries};
use crate::deliveries::{
    CreateDelivery, GetDelivery, ListDeliveries, PrepareWorkerAction, RejectDelivery,
    RequestChanges, SurrenderTask,
};
use crate::directory::{GetAgent, GetAgentReputation, SearchAgents};
use crate::disputes::{
    AcceptDispute, AddDisputeEvidence, AgentAcceptDispute, AgentAddEvidence, AgentOfferShare,
    GetDispute, ListDisputes, OfferShare, OpenDispute, RuleDispute,
};
use crate::earnings::{GetAgentEarnings, GetEarnings, ListEarningEntries};
use crate::files::{GetFile, UploadFile};
use crate::hosted::{
    DeleteKnowledgeFile, GetHostedVersion, ListHostedVersions, ListKnowledgeFiles,
    SaveHostedVersion, UploadKnowledgeFile,
};
use crate::listings::{
    CreateListing, GetListing, ListMyListings, PauseListing, PublishListing, RetireListing,
    SearchListings, UpdateListing,
};
use crate::notifications::ListNotifications;
use crate::operation::{Entry, entry};
use crate::policies::{
    CreateSpendPolicy, DeactivateSpendPolicy, GetSpendPolicy, ListSpendPolicies, UpdateSpendPolicy,
};
use crate::quotes::{
    CreateQuote, GetQuote, ListQuotes, ListTaskQuotes, QuoteAsOwner, SubmitQuote, UpdateQuote,
    WithdrawQuote,
};
use crate::receipts::{GetReceipt, ListReceipts, ReviewReceipt, VerifyReceipt};
use crate::relay::{
    AcceptOfferAsOwner, AcceptRelayOffer, CheckIn, CheckOut, DeclineOfferAsOwner,
    DeclineRelayOffer, GetRelayOffer, ListAgentOffers, ListRelayOffers,
};
use crate::tasks::{GetTask, GetTaskPreview, ListTaskEvents, ListTasks};
use crate::wallets::{
    CompleteWalletLink, CreateWalletChallenge, CreateWalletLink, LinkWallet, ListWallets,
    UnlinkWallet,
};
use crate::webhooks::{
    CreateWebhook, DeleteWebhook, ListWebhookDeliveries, ListWebhooks, ReplayWebhookDelivery,
    RotateWebhookSecret,
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
    entry::<SetPayoutWallet>(),
    entry::<GetAgentEarnings>(),
    entry::<SaveHostedVersion>(),
    entry::<ListHostedVersions>(),
    entry::<GetHostedVersion>(),
    entry::<UploadKnowledgeFile>(),
    entry::<ListKnowledgeFiles>(),
    entry::<DeleteKnowledgeFile>(),
    entry::<SearchAgents>(),
    entry::<GetAgent>(),
    entry::<GetAgentReputation>(),
    entry::<GetAgentCard>(),
    entry::<ListAgentOffers>(),
    entry::<AcceptOfferAsOwner>(),
    entry::<DeclineOfferAsOwner>(),
    entry::<UploadFile>(),
    entry::<GetFile>(),
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
    entry::<PreflightCommand>(),
    entry::<AgentPostTask>(),
    entry::<AgentHireListing>(),
    entry::<AgentSelectQuote>(),
    entry::<AgentFundTask>(),
    entry::<AgentAcceptDelivery>(),
    entry::<AgentRequestChanges>(),
    entry::<AgentRejectDelivery>(),
    entry::<AgentReleaseSelection>(),
    entry::<AgentCancelTask>(),
    entry::<AgentOfferShare>(),
    entry::<AgentAcceptDispute>(),
    entry::<AgentAddEvidence>(),
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
    entry::<PrepareWorkerAction>(),
    entry::<OpenDispute>(),
    entry::<ListDisputes>(),
    entry::<GetDispute>(),
    entry::<OfferShare>(),
    entry::<AcceptDispute>(),
    entry::<RuleDispute>(),
    entry::<AddDisputeEvidence>(),
    entry::<ListTasks>(),
    entry::<GetTask>(),
    entry::<GetTaskPreview>(),
    entry::<ListTaskEvents>(),
    entry::<ListQuotes>(),
    entry::<ListTaskQuotes>(),
    entry::<CreateQuote>(),
    entry::<GetQuote>(),
    entry::<UpdateQuote>(),
    entry::<SubmitQuote>(),
    entry::<WithdrawQuote>(),
    entry::<QuoteAsOwner>(),
    entry::<CreateTask>(),
    entry::<CancelTask>(),
    entry::<SelectQuote>(),
    entry::<ReleaseSelection>(),
    entry::<FundTask>(),
    entry::<RefundTask>(),
    entry::<AcceptDelivery>(),
    entry::<HireListing>(),
    entry::<ListActions>(),
    entry::<GetAction>(),
    entry::<SealAction>(),
    entry::<SubmitAction>(),
    entry::<CancelAction>(),
    entry::<GetCredits>(),
    entry::<ListCreditEntries>(),
    entry::<CreateWalletChallenge>(),
    entry::<LinkWallet>(),
    entry::<CreateWalletLink>(),
    entry::<CompleteWalletLink>(),
    entry::<ListWallets>(),
    entry::<UnlinkWallet>(),
    entry::<ListReceipts>(),
    entry::<GetReceipt>(),
    entry::<VerifyReceipt>(),
    entry::<ReviewReceipt>(),
    entry::<GetEarnings>(),
    entry::<ListEarningEntries>(),
    entry::<SearchListings>(),
    entry::<GetListing>(),
    entry::<CreateListing>(),
    entry::<UpdateListing>(),
    entry::<PublishListing>(),
    entry::<PauseListing>(),
    entry::<RetireListing>(),
    entry::<ListMyListings>(),
    entry::<ListNotifications>(),
    entry::<ListActivity>(),
    entry::<StreamActivity>(),
    entry::<CreateWebhook>(),
    entry::<ListWebhooks>(),
    entry::<DeleteWebhook>(),
    entry::<RotateWebhookSecret>(),
    entry::<ListWebhookDeliveries>(),
    entry::<ReplayWebhookDelivery>(),
];
