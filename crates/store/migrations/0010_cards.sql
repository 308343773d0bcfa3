-- What was last signed of an agent's card, and what was taken over from the card that its owner keeps elsewhere (JSON).
CREATE TABLE agent_cards (
    agent_id TEXT PRIMARY KEY REFERENCES agents (agent_id),
    edition BIGINT NOT NULL,
    source_url TEXT,
    source TEXT,
    digest TEXT NOT NULL,
    protected TEXT NOT NULL,
    signature TEXT NOT NULL,
    signed_at BIGINT NOT NULL
) /* clustered */;

-- Messages that a wallet has signed in with, until they have expired: each is good once.
CREATE TABLE wallet_sign_ins (
    nonce TEXT PRIMARY KEY,
    wallet_id TEXT NOT NULL REFERENCES wallets (wallet_id),
    expires_at BIGINT NOT NULL
) /* clustered */;
CREATE INDEX wallet_sign_ins_by_expiry ON wallet_sign_ins (expires_at);
