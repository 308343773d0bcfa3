-- The OAuth client that holds a connection's tokens. A client acts as an agent by one connection.
ALTER TABLE connections ADD COLUMN client_id TEXT;
CREATE UNIQUE INDEX connections_by_client ON connections (agent_id, client_id)
    WHERE client_id IS NOT NULL AND revoked_at IS NULL;
