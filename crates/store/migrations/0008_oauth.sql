-- The OAuth client that holds a connection's tokens. A client acts as an agent by one connection.
ALTER TABLE connections ADD COLUMN client_id TEXT;
CREATE UNIQUE INDEX connections_by_client ON connections (agent_id, client_id)
    WHERE client_id IS NOT NULL AND revoked_at IS NULL;
CREATE INDEX connections_of_client ON connections (client_id) WHERE client_id IS NOT NULL;

-- OAuth clients: those that registered themselves, and copies of the documents of those that are known by their address.
CREATE TABLE oauth_clients (
    client_id TEXT PRIMARY KEY,
    metadata TEXT NOT NULL,
    secret_digest BYTEA,
    registration_digest BYTEA,
    -- Until when the copy of a document is good; a client that registered itself has none.
    fresh_until BIGINT,
    -- When somebody first allowed it something.
    used_at BIGINT,
    created_at BIGINT NOT NULL
);
CREATE INDEX oauth_clients_unused ON oauth_clients (created_at) WHERE used_at IS NULL AND fresh_until IS NULL;
CREATE INDEX oauth_clients_stale ON oauth_clients (fresh_until) WHERE fresh_until IS NOT NULL;

-- What an owner allowed a client once: every token that came of it.
CREATE TABLE oauth_families (
    family_id TEXT PRIMARY KEY,
    connection_id TEXT NOT NULL REFERENCES connections (connection_id),
    client_id TEXT NOT NULL,
    scopes TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    ended_at BIGINT
);
CREATE UNIQUE INDEX oauth_families_open ON oauth_families (connection_id) WHERE ended_at IS NULL;
CREATE INDEX oauth_families_by_age ON oauth_families (created_at);

-- Codes, changed only under the lock of their connection.
CREATE TABLE oauth_codes (
    code_digest BYTEA PRIMARY KEY,
    connection_id TEXT NOT NULL REFERENCES connections (connection_id),
    session_id TEXT NOT NULL,
    client_id TEXT NOT NULL,
    redirect_uri TEXT NOT NULL,
    challenge TEXT NOT NULL,
    resource TEXT NOT NULL,
    scopes TEXT NOT NULL,
    offline BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    family_id TEXT REFERENCES oauth_families (family_id)
);
CREATE INDEX oauth_codes_by_connection ON oauth_codes (connection_id);
CREATE INDEX oauth_codes_by_family ON oauth_codes (family_id) WHERE family_id IS NOT NULL;
CREATE INDEX oauth_codes_by_expiry ON oauth_codes (expires_at);

-- Refresh tokens, changed only under the lock of their family's connection. The successor of a spent one is sealed with
-- the spent one, until the successor is used or its grace is over.
CREATE TABLE oauth_refresh_tokens (
    token_digest BYTEA PRIMARY KEY,
    family_id TEXT NOT NULL REFERENCES oauth_families (family_id),
    generation BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    spent_at BIGINT,
    successor BYTEA,
    UNIQUE (family_id, generation)
);
CREATE INDEX oauth_refresh_tokens_by_expiry ON oauth_refresh_tokens (expires_at);
CREATE INDEX oauth_refresh_tokens_spent ON oauth_refresh_tokens (spent_at) WHERE spent_at IS NOT NULL;
CREATE INDEX oauth_refresh_tokens_in_grace ON oauth_refresh_tokens (spent_at) WHERE successor IS NOT NULL;
