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
