CREATE TABLE passkeys (
    passkey_id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (account_id),
    -- Unpadded base64url. One authenticator's key is one account's, for ever.
    credential_id TEXT NOT NULL UNIQUE,
    credential TEXT NOT NULL,
    name TEXT NOT NULL,
    counter BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    last_used_at BIGINT,
    removed_at BIGINT,
    revision BIGINT NOT NULL
) /* clustered */;
CREATE INDEX passkeys_by_account ON passkeys (account_id, passkey_id) WHERE removed_at IS NULL;

CREATE TABLE passkey_ceremonies (
    ceremony_id TEXT PRIMARY KEY,
    purpose TEXT NOT NULL,
    account_id TEXT REFERENCES accounts (account_id),
    state TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    used_at BIGINT,
    revision BIGINT NOT NULL
) /* clustered */;
CREATE INDEX passkey_ceremonies_by_expiry ON passkey_ceremonies (expires_at);
