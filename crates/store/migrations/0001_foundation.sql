-- Ids and JSON are TEXT, instants are BIGINT milliseconds, truth values are 0 or 1, digests are BYTEA.
-- `clustered` tables are kept in the order of their primary key where the engine can do that.

CREATE TABLE heartbeat (
    id BIGINT PRIMARY KEY,
    beats BIGINT NOT NULL
);
INSERT INTO heartbeat (id, beats) VALUES (1, 0);

CREATE TABLE accounts (
    account_id TEXT PRIMARY KEY,
    email TEXT NOT NULL,
    email_folded TEXT NOT NULL UNIQUE,
    display_name TEXT NOT NULL,
    password_hash TEXT NOT NULL,
    failed_sign_ins BIGINT NOT NULL,
    failing_since BIGINT,
    disabled_at BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
) /* clustered */;

CREATE TABLE sessions (
    session_id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (account_id),
    token_digest BYTEA NOT NULL UNIQUE,
    user_agent TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    last_seen_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    ended_at BIGINT
) /* clustered */;
CREATE INDEX sessions_by_account ON sessions (account_id, session_id);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

CREATE TABLE signing_keys (
    key_id TEXT PRIMARY KEY,
    public_jwk TEXT NOT NULL,
    private_sealed BYTEA NOT NULL,
    created_at BIGINT NOT NULL,
    retired_at BIGINT
);

CREATE TABLE agents (
    agent_id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (account_id),
    name TEXT NOT NULL,
    description TEXT NOT NULL,
    skills TEXT NOT NULL,
    hosted BIGINT NOT NULL,
    visibility TEXT NOT NULL,
    paused BIGINT NOT NULL,
    card_source_url TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    retired_at BIGINT,
    revision BIGINT NOT NULL
) /* clustered */;
CREATE INDEX agents_by_account ON agents (account_id, agent_id);

CREATE TABLE spend_policies (
    policy_id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (account_id),
    version BIGINT NOT NULL,
    status TEXT NOT NULL,
    max_per_command BIGINT NOT NULL,
    max_per_day BIGINT NOT NULL,
    max_per_month BIGINT,
    max_total BIGINT,
    max_open_tasks BIGINT,
    max_per_worker_day BIGINT,
    allowed_operations TEXT,
    allowed_models TEXT,
    worker_allowlist TEXT,
    worker_blocklist TEXT,
    approval_above BIGINT,
    max_delegation_depth BIGINT NOT NULL,
    paused BIGINT NOT NULL,
    expires_at BIGINT,
    used_as_of BIGINT NOT NULL,
    used_day BIGINT NOT NULL,
    used_month BIGINT NOT NULL,
    used_total BIGINT NOT NULL,
    reserved BIGINT NOT NULL,
    open_tasks BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    revision BIGINT NOT NULL
) /* clustered */;
CREATE INDEX spend_policies_by_account ON spend_policies (account_id, policy_id);
CREATE UNIQUE INDEX spend_policies_active ON spend_policies (account_id) WHERE status = 'active';

CREATE TABLE connections (
    connection_id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (account_id),
    agent_id TEXT NOT NULL REFERENCES agents (agent_id),
    client_catalog_id TEXT NOT NULL,
    client_display_name TEXT,
    auth_kind TEXT NOT NULL,
    hosted BIGINT NOT NULL,
    key_digest BYTEA,
    key_scopes TEXT,
    grant_id TEXT NOT NULL,
    epoch BIGINT NOT NULL,
    scopes TEXT NOT NULL,
    expires_at BIGINT NOT NULL,
    spend_policy_id TEXT REFERENCES spend_policies (policy_id),
    status TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    revoked_at BIGINT,
    last_verified_at BIGINT,
    last_seen_at BIGINT,
    revision BIGINT NOT NULL
) /* clustered */;
CREATE INDEX connections_by_account ON connections (account_id, connection_id);
CREATE INDEX connections_by_agent ON connections (agent_id, connection_id);
CREATE INDEX connections_by_policy ON connections (spend_policy_id, connection_id) WHERE spend_policy_id IS NOT NULL;
CREATE UNIQUE INDEX connections_by_key ON connections (key_digest) WHERE key_digest IS NOT NULL;
CREATE UNIQUE INDEX connections_hosted ON connections (agent_id) WHERE hosted = 1;

CREATE TABLE hosted_versions (
    agent_id TEXT NOT NULL REFERENCES agents (agent_id),
    version BIGINT NOT NULL,
    agent_md TEXT NOT NULL,
    settings TEXT NOT NULL,
    skills TEXT NOT NULL,
    knowledge TEXT NOT NULL,
    bundle_digest TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (agent_id, version)
);

CREATE TABLE knowledge_files (
    file_id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (account_id),
    agent_id TEXT NOT NULL REFERENCES agents (agent_id),
    name TEXT NOT NULL,
    media_type TEXT NOT NULL,
    size BIGINT NOT NULL,
    sha256 TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    deleted_at BIGINT
) /* clustered */;
CREATE INDEX knowledge_files_by_agent ON knowledge_files (agent_id, file_id) WHERE deleted_at IS NULL;
CREATE INDEX knowledge_files_by_account ON knowledge_files (account_id) WHERE deleted_at IS NULL;
CREATE INDEX knowledge_files_by_content ON knowledge_files (sha256);

-- What a request with an Idempotency-Key came to. Written in the transaction of its effect.
CREATE TABLE idempotency (
    principal TEXT NOT NULL,
    operation TEXT NOT NULL,
    key_digest BYTEA NOT NULL,
    fingerprint BYTEA NOT NULL,
    status BIGINT NOT NULL,
    body BYTEA NOT NULL,
    sealed_body BYTEA,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (principal, operation, key_digest)
) /* clustered */;
CREATE INDEX idempotency_by_expiry ON idempotency (expires_at);
CREATE INDEX idempotency_with_secret ON idempotency (created_at) WHERE sealed_body IS NOT NULL;

-- One log: an agent's notifications and an account's activity are feeds of it. A feed's items are numbered under the lock
-- of its row, in the transaction that causes them, so that the numbers follow the order of commits.
CREATE TABLE feeds (
    feed_id TEXT PRIMARY KEY,
    last_seq BIGINT NOT NULL
) /* clustered */;

CREATE TABLE feed_items (
    feed_id TEXT NOT NULL,
    seq BIGINT NOT NULL,
    item_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    agent_id TEXT,
    task_id TEXT,
    subject_type TEXT,
    subject_id TEXT,
    data TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (feed_id, seq)
) /* clustered */;
CREATE UNIQUE INDEX feed_items_by_id ON feed_items (item_id);

CREATE TABLE timers (
    timer_id TEXT PRIMARY KEY,
    due_at BIGINT NOT NULL,
    kind TEXT NOT NULL,
    subject_id TEXT NOT NULL,
    epoch BIGINT NOT NULL
) /* clustered */;
CREATE INDEX timers_by_due ON timers (due_at);

CREATE TABLE rate_windows (
    principal TEXT NOT NULL,
    started_at BIGINT NOT NULL,
    taken BIGINT NOT NULL,
    PRIMARY KEY (principal, started_at)
) /* clustered */;
CREATE INDEX rate_windows_by_start ON rate_windows (started_at);
