-- Files that people and agents upload; their content is in the blob store, under its digest.
CREATE TABLE files (
    file_id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (account_id),
    agent_id TEXT REFERENCES agents (agent_id),
    name TEXT,
    media_type TEXT NOT NULL,
    size BIGINT NOT NULL,
    sha256 TEXT NOT NULL,
    created_at BIGINT NOT NULL
) /* clustered */;
CREATE INDEX files_by_account ON files (account_id);
CREATE INDEX files_by_content ON files (sha256);

-- The tasks that a file belongs to: their parties may read it.
CREATE TABLE file_uses (
    file_id TEXT NOT NULL REFERENCES files (file_id),
    task_id TEXT NOT NULL,
    PRIMARY KEY (file_id, task_id)
) /* clustered */;
CREATE INDEX file_uses_by_task ON file_uses (task_id);
