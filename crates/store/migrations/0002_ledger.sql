-- The credit ledger. Credits move from book to book by transfers; a transfer has one entry in each of its two books. A
-- book's entries are numbered without gaps and chained by hashes under the lock of its row, which holds the last of each.
-- What the checks here refuse, the program never asks for: they are the second lock on the door.

-- `owner` is for whom the book counts: the person whose book it is, or whose credits an escrow keeps. `live` is 1 while it
-- counts; it is not a part of the balance, so that most changes of a balance change no index.
CREATE TABLE ledger_accounts (
    book TEXT PRIMARY KEY,
    owner TEXT REFERENCES accounts (account_id),
    agent_id TEXT REFERENCES agents (agent_id),
    live BIGINT NOT NULL,
    balance BIGINT NOT NULL,
    seq BIGINT NOT NULL,
    head_hash BYTEA NOT NULL,
    opened_at BIGINT NOT NULL,
    CHECK (balance >= 0 OR book LIKE 'issuance:%')
) /* clustered */;
CREATE INDEX ledger_accounts_live ON ledger_accounts (owner) WHERE live = 1;

CREATE TABLE ledger_transfers (
    transfer_id TEXT PRIMARY KEY,
    movement TEXT NOT NULL,
    debit TEXT NOT NULL,
    credit TEXT NOT NULL,
    amount BIGINT NOT NULL,
    agent_id TEXT,
    task_id TEXT,
    created_at BIGINT NOT NULL,
    CHECK (amount > 0 AND debit <> credit)
) /* clustered */;
CREATE INDEX ledger_transfers_by_agent ON ledger_transfers (agent_id, transfer_id) WHERE agent_id IS NOT NULL;
CREATE INDEX ledger_transfers_by_task ON ledger_transfers (task_id, transfer_id) WHERE task_id IS NOT NULL;

CREATE TABLE ledger_entries (
    book TEXT NOT NULL,
    seq BIGINT NOT NULL,
    transfer_id TEXT NOT NULL,
    delta BIGINT NOT NULL,
    balance_after BIGINT NOT NULL,
    hash BYTEA NOT NULL,
    PRIMARY KEY (book, seq)
) /* clustered */;
-- A transfer has at most one entry in a book; and an agent's statement is read by its transfers.
CREATE UNIQUE INDEX ledger_entries_by_transfer ON ledger_entries (transfer_id, book);
