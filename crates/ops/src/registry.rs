//! Every operation there is.

use crate::account::{GetMe, UpdateMe};
use crate::activity::{ListActivity, StreamActivity};
use crate::agents::{
    CreateAgent, GetMyAgent, ListMyAgents, PauseAgent, PublishAgent, ResumeAgent, RetireAgent,
    UnpublishAgent, UpdateAgent,
};
use crate::connections::{
    BindConnectionSpendPolicy, CreateConnection, GetConnection, ListClientCatalog, ListConnections,
    RevokeConnection, RotateConnection, UnbindConnectionSpendPolicy, UpdateConnectionGrant,
};
use crate::credits::{GetCredits, ListCreditEntries};
use crate::directory::{GetAgent, GetAgentReputation, SearchAgents};
use crate::earnings::{GetAgentEarnings, GetEarnings, ListEarningEntries};
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
use crate::receipts::{GetReceipt, ListReceipts, ReviewReceipt, VerifyReceipt};

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
    entry::<ListReceipts>(),
    entry::<GetReceipt>(),
    entry::<VerifyReceipt>(),
    entry::<ReviewReceipt>(),
    entry::<GetEarnings>(),
    entry::<ListEarningEntries>(),
    entry::<GetCredits>(),
    entry::<ListCreditEntries>(),
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
];
