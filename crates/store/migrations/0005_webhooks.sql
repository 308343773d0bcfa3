-- Where accounts want to be told what happened. Secrets are sealed; `kinds` is a JSON list, or NULL for every kind.
CREATE TABLE webhooks (
    webhook_id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (account_id),
    url TEXT NOT NULL,
    kinds TEXT,
    secret BYTEA NOT NULL,
    former_secret BYTEA,
    former_secret_until BIGINT,
    failing_since BIGINT,
    disabled_at BIGINT,
    created_at BIGINT NOT NULL,
    revision BIGINT NOT NULL
) /* clustered */;
CREATE INDEX webhooks_by_account ON webhooks (account_id, webhook_id);

-- An event on its way to a webhook. Written in the transaction that writes the event.
CREATE TABLE webhook_deliveries (
    webhook_id TEXT NOT NULL REFERENCES webhooks (webhook_id),
    item_id TEXT NOT NULL,
    status TEXT NOT NULL,
    attempts BIGINT NOT NULL,
    due_at BIGINT NOT NULL,
    attempted_at BIGINT,
    answer BIGINT,
    fault TEXT,
    created_at BIGINT NOT NULL,
    revision BIGINT NOT NULL,
    PRIMARY KEY (webhook_id, item_id)
) /* clustered */;
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (due_at, webhook_id) WHERE status = 'pending';
CREATE INDEX webhook_deliveries_waiting ON webhook_deliveries (webhook_id, due_at) WHERE status = 'pending';
CREATE INDEX webhook_deliveries_by_creation ON webhook_deliveries (created_at);
