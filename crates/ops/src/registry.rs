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
use crate::files::{GetFile, UploadFile};
use crate::hosted::{
    DeleteKnowledgeFile, GetHostedVersion, ListHostedVersions, ListKnowledgeFiles,
    SaveHostedVersion, UploadKnowledgeFile,
};
use crate::notifications::ListNotifications;
use crate::operation::{Entry, entry};
use crate::policies::{
    CreateSpendPolicy, DeactivateSpendPolicy, GetSpendPolicy, ListSpendPolicies, UpdateSpendPolicy,
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
    entry::<SaveHostedVersion>(),
    entry::<ListHostedVersions>(),
    entry::<GetHostedVersion>(),
    entry::<UploadKnowledgeFile>(),
    entry::<ListKnowledgeFiles>(),
    entry::<DeleteKnowledgeFile>(),
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
