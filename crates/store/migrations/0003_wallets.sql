-- Addresses are TEXT with their checksum, so that equal addresses are equal texts.

CREATE TABLE wallets (
    wallet_id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (account_id),
    address TEXT NOT NULL,
    chain_id BIGINT,
    created_at BIGINT NOT NULL,
    unlinked_at BIGINT,
    revision BIGINT NOT NULL
) /* clustered */;
CREATE INDEX wallets_by_account ON wallets (account_id, wallet_id) WHERE unlinked_at IS NULL;
CREATE UNIQUE INDEX wallets_linked ON wallets (address) WHERE unlinked_at IS NULL;

CREATE TABLE wallet_challenges (
    challenge_id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (account_id),
    address TEXT NOT NULL,
    message TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    used_at BIGINT,
    revision BIGINT NOT NULL
) /* clustered */;
CREATE INDEX wallet_challenges_by_expiry ON wallet_challenges (expires_at);

CREATE TABLE wallet_links (
    link_id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (account_id),
    code_digest BYTEA NOT NULL,
    nonce TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    used_at BIGINT,
    revision BIGINT NOT NULL
) /* clustered */;
CREATE INDEX wallet_links_by_expiry ON wallet_links (expires_at);

-- The address that an agent's USDC earnings go to: a wallet linked by its owner.
ALTER TABLE agents ADD COLUMN payout_wallet TEXT;
