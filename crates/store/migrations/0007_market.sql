-- The market: tasks, and everything that happens to them.

CREATE TABLE tasks (
    task_id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (account_id),
    buyer_agent_id TEXT REFERENCES agents (agent_id),
    command_id TEXT,
    title TEXT NOT NULL,
    brief TEXT NOT NULL,
    criteria TEXT NOT NULL,
    checks TEXT NOT NULL,
    auto_accept_on_checks BIGINT NOT NULL,
    budget BIGINT NOT NULL,
    rail TEXT NOT NULL,
    tier TEXT NOT NULL,
    invited_agent_ids TEXT NOT NULL,
    selection_mode TEXT NOT NULL,
    accept_window BIGINT NOT NULL,
    delivery_window BIGINT NOT NULL,
    review_window BIGINT NOT NULL,
    parent_task_id TEXT REFERENCES tasks (task_id),
    depth BIGINT NOT NULL,
    listing_id TEXT,
    hire TEXT,
    buyer_wallet TEXT,
    status TEXT NOT NULL,
    selections BIGINT NOT NULL,
    deliveries BIGINT NOT NULL,
    change_requests BIGINT NOT NULL,
    due_at BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    revision BIGINT NOT NULL
);
CREATE INDEX tasks_by_account ON tasks (account_id, task_id);
CREATE INDEX tasks_by_buying_agent ON tasks (buyer_agent_id, task_id) WHERE buyer_agent_id IS NOT NULL;
CREATE INDEX tasks_for_all ON tasks (task_id) WHERE status = 'open' AND tier = 'public';
CREATE INDEX tasks_by_listing ON tasks (listing_id, task_id) WHERE listing_id IS NOT NULL;
-- With the status, so that counting an account's tasks looks at no row.
CREATE INDEX tasks_live ON tasks (account_id, status) WHERE status NOT IN ('completed', 'refunded', 'cancelled');
CREATE INDEX tasks_live_hires ON tasks (listing_id) WHERE status NOT IN ('completed', 'refunded', 'cancelled');

-- Which agents may see a private task.
CREATE TABLE task_invitations (
    agent_id TEXT NOT NULL REFERENCES agents (agent_id),
    task_id TEXT NOT NULL REFERENCES tasks (task_id),
    PRIMARY KEY (agent_id, task_id)
) /* clustered */;

-- One attempt to have a task done by one agent: its selection, offer, acceptance and funding live and end together.
CREATE TABLE engagements (
    selection_id TEXT PRIMARY KEY,
    offer_id TEXT NOT NULL UNIQUE,
    funding_id TEXT NOT NULL UNIQUE,
    task_id TEXT NOT NULL REFERENCES tasks (task_id),
    version BIGINT NOT NULL,
    quote_id TEXT,
    agent_id TEXT NOT NULL REFERENCES agents (agent_id),
    worker_account_id TEXT NOT NULL REFERENCES accounts (account_id),
    price BIGINT NOT NULL,
    fee_bps BIGINT NOT NULL,
    default_share_bps BIGINT NOT NULL,
    terms TEXT NOT NULL,
    terms_hash TEXT NOT NULL,
    quote_deadline BIGINT,
    selection TEXT NOT NULL,
    release_reason TEXT,
    offer TEXT,
    answered_by TEXT,
    acceptance TEXT NOT NULL,
    accepted_at BIGINT,
    declined_at BIGINT,
    funding_state TEXT,
    outcome_reason TEXT,
    funding_created_at BIGINT,
    funding_updated_at BIGINT,
    held_at BIGINT,
    accept_deadline_at BIGINT,
    deliver_by_at BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    revision BIGINT NOT NULL
);
CREATE UNIQUE INDEX engagements_by_task ON engagements (task_id, version);
CREATE INDEX engagements_by_agent ON engagements (agent_id, task_id);
CREATE INDEX engagements_by_worker_account ON engagements (worker_account_id, task_id);
CREATE INDEX engagements_held ON engagements (agent_id) WHERE funding_state = 'held';
CREATE INDEX offers_by_agent ON engagements (agent_id, offer_id) WHERE offer IS NOT NULL;
CREATE INDEX offers_by_status ON engagements (agent_id, offer, offer_id) WHERE offer IS NOT NULL;

CREATE TABLE quotes (
    quote_id TEXT PRIMARY KEY,
    task_id TEXT NOT NULL REFERENCES tasks (task_id),
    agent_id TEXT NOT NULL REFERENCES agents (agent_id),
    account_id TEXT NOT NULL REFERENCES accounts (account_id),
    buyer_account_id TEXT NOT NULL REFERENCES accounts (account_id),
    buyer_agent_id TEXT,
    rail TEXT NOT NULL,
    price BIGINT NOT NULL,
    deadline BIGINT NOT NULL,
    message TEXT,
    status TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    revision BIGINT NOT NULL
) /* clustered */;
CREATE INDEX quotes_by_task ON quotes (task_id, quote_id);
CREATE INDEX quotes_by_agent ON quotes (agent_id, quote_id);
CREATE INDEX quotes_to_buying_agent ON quotes (buyer_agent_id, quote_id) WHERE buyer_agent_id IS NOT NULL;
CREATE INDEX quotes_waiting ON quotes (agent_id, deadline) WHERE status = 'submitted';

CREATE TABLE deliveries (
    delivery_id TEXT PRIMARY KEY,
    task_id TEXT NOT NULL REFERENCES tasks (task_id),
    agent_id TEXT NOT NULL REFERENCES agents (agent_id),
    version BIGINT NOT NULL,
    status TEXT NOT NULL,
    digest TEXT NOT NULL,
    notes TEXT,
    summary TEXT NOT NULL,
    artifacts TEXT NOT NULL,
    check_results TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    revision BIGINT NOT NULL
);
CREATE UNIQUE INDEX deliveries_by_task ON deliveries (task_id, version);

CREATE TABLE disputes (
    dispute_id TEXT PRIMARY KEY,
    task_id TEXT NOT NULL UNIQUE REFERENCES tasks (task_id),
    buyer_account_id TEXT NOT NULL REFERENCES accounts (account_id),
    buyer_agent_id TEXT,
    worker_account_id TEXT NOT NULL REFERENCES accounts (account_id),
    worker_agent_id TEXT NOT NULL REFERENCES agents (agent_id),
    status TEXT NOT NULL,
    statement TEXT NOT NULL,
    worker_offer_bps BIGINT NOT NULL,
    buyer_offer_bps BIGINT,
    share_bps BIGINT,
    ruled_by TEXT,
    reasons TEXT,
    created_at BIGINT NOT NULL,
    closes_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    revision BIGINT NOT NULL
) /* clustered */;
CREATE INDEX disputes_by_buyer ON disputes (buyer_account_id, dispute_id);
CREATE INDEX disputes_by_worker ON disputes (worker_account_id, dispute_id);
CREATE INDEX disputes_by_buying_agent ON disputes (buyer_agent_id, dispute_id) WHERE buyer_agent_id IS NOT NULL;
CREATE INDEX disputes_by_working_agent ON disputes (worker_agent_id, dispute_id);
CREATE INDEX disputes_open ON disputes (dispute_id) WHERE status = 'open';

CREATE TABLE evidence (
    evidence_id TEXT PRIMARY KEY,
    dispute_id TEXT NOT NULL REFERENCES disputes (dispute_id),
    side TEXT NOT NULL,
    file_id TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    note TEXT,
    created_at BIGINT NOT NULL
) /* clustered */;
CREATE UNIQUE INDEX evidence_by_content ON evidence (dispute_id, side, sha256);

CREATE TABLE commands (
    command_id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (account_id),
    agent_id TEXT NOT NULL REFERENCES agents (agent_id),
    connection_id TEXT NOT NULL REFERENCES connections (connection_id),
    policy_id TEXT NOT NULL REFERENCES spend_policies (policy_id),
    policy_version BIGINT NOT NULL,
    operation TEXT NOT NULL,
    state TEXT NOT NULL,
    task_id TEXT,
    reserved BIGINT NOT NULL,
    charged BIGINT NOT NULL,
    released BIGINT NOT NULL,
    evidence_ref TEXT,
    request TEXT,
    created_at BIGINT NOT NULL,
    reserved_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    revision BIGINT NOT NULL
) /* clustered */;
CREATE INDEX commands_by_account ON commands (account_id, command_id);
CREATE INDEX commands_by_agent ON commands (agent_id, command_id);
CREATE INDEX commands_by_policy ON commands (policy_id, command_id) WHERE state = 'reserved';
CREATE INDEX commands_awaiting ON commands (account_id, command_id) WHERE state = 'awaiting_approval';

-- What a policy promised or paid to one worker in one UTC day. Changed under the policy's lock.
CREATE TABLE policy_worker_days (
    policy_id TEXT NOT NULL,
    agent_id TEXT NOT NULL,
    day BIGINT NOT NULL,
    spent BIGINT NOT NULL,
    PRIMARY KEY (policy_id, agent_id, day)
) /* clustered */;

CREATE TABLE listings (
    listing_id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (account_id),
    agent_id TEXT NOT NULL REFERENCES agents (agent_id),
    title TEXT NOT NULL,
    description TEXT NOT NULL,
    price BIGINT NOT NULL,
    requirements TEXT NOT NULL,
    delivery_window BIGINT NOT NULL,
    max_open_hires BIGINT,
    skills TEXT NOT NULL,
    version BIGINT NOT NULL,
    state TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    revision BIGINT NOT NULL
);
CREATE INDEX listings_by_account ON listings (account_id, listing_id);
CREATE INDEX listings_by_agent ON listings (agent_id, listing_id);
CREATE INDEX listings_for_all ON listings (listing_id) WHERE state = 'published';
CREATE INDEX agents_for_all ON agents (agent_id) WHERE visibility = 'published';

-- What everybody can find by a skill: published agents and listings, whose ids say which they are.
CREATE TABLE skills (
    skill TEXT NOT NULL,
    subject_id TEXT NOT NULL,
    PRIMARY KEY (skill, subject_id)
) /* clustered */;
CREATE INDEX skills_by_subject ON skills (subject_id);

CREATE TABLE actions (
    action_id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (account_id),
    task_id TEXT NOT NULL REFERENCES tasks (task_id),
    kind TEXT NOT NULL,
    rail TEXT NOT NULL,
    intent TEXT NOT NULL,
    signer TEXT NOT NULL,
    chain_id BIGINT NOT NULL,
    typed_data TEXT NOT NULL,
    digest BYTEA NOT NULL,
    summary TEXT NOT NULL,
    token_digest BYTEA NOT NULL UNIQUE,
    status TEXT NOT NULL,
    expires_at BIGINT NOT NULL,
    sealed_at BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    revision BIGINT NOT NULL
);
CREATE INDEX actions_by_account ON actions (account_id, action_id);
CREATE INDEX actions_prepared ON actions (task_id, kind) WHERE status = 'prepared';

CREATE TABLE receipts (
    receipt_id TEXT PRIMARY KEY,
    task_id TEXT NOT NULL UNIQUE REFERENCES tasks (task_id),
    buyer_account_id TEXT NOT NULL REFERENCES accounts (account_id),
    buyer_agent_id TEXT,
    agent_id TEXT NOT NULL REFERENCES agents (agent_id),
    worker_account_id TEXT NOT NULL REFERENCES accounts (account_id),
    rail TEXT NOT NULL,
    amount BIGINT NOT NULL,
    fee BIGINT NOT NULL,
    outcome_reason TEXT NOT NULL,
    terms_hash TEXT NOT NULL,
    delivery_digest TEXT,
    transfer_ids TEXT NOT NULL,
    issued_at BIGINT NOT NULL,
    jws TEXT NOT NULL,
    voided_at BIGINT,
    rating BIGINT,
    review TEXT,
    reviewed_at BIGINT,
    revision BIGINT NOT NULL
) /* clustered */;
CREATE INDEX receipts_by_buyer ON receipts (buyer_account_id, receipt_id);
CREATE INDEX receipts_by_worker ON receipts (worker_account_id, receipt_id);
CREATE INDEX receipts_by_agent ON receipts (agent_id, receipt_id);
CREATE INDEX receipts_by_buying_agent ON receipts (buyer_agent_id, receipt_id) WHERE buyer_agent_id IS NOT NULL;

-- What an agent's receipts come to, as a worker and as a buyer. Added to in the transactions that issue and review them.
CREATE TABLE agent_records (
    agent_id TEXT NOT NULL REFERENCES agents (agent_id),
    side TEXT NOT NULL,
    receipts BIGINT NOT NULL,
    accepted BIGINT NOT NULL,
    auto_accepted BIGINT NOT NULL,
    resolved BIGINT NOT NULL,
    partners BIGINT NOT NULL,
    volume BIGINT NOT NULL,
    fees BIGINT NOT NULL,
    ratings BIGINT NOT NULL,
    rating_sum BIGINT NOT NULL,
    PRIMARY KEY (agent_id, side)
) /* clustered */;

-- With which accounts an agent has receipts.
CREATE TABLE agent_partners (
    agent_id TEXT NOT NULL,
    side TEXT NOT NULL,
    account_id TEXT NOT NULL,
    receipts BIGINT NOT NULL,
    PRIMARY KEY (agent_id, side, account_id)
) /* clustered */;

-- Until when an agent counts as present, and how much it takes on.
CREATE TABLE presence (
    agent_id TEXT PRIMARY KEY REFERENCES agents (agent_id),
    present_until BIGINT NOT NULL,
    capacity BIGINT
) /* clustered */;

-- The operator's switches: a row is on.
CREATE TABLE switches (
    name TEXT PRIMARY KEY,
    reason TEXT NOT NULL,
    since BIGINT NOT NULL
) /* clustered */;

ALTER TABLE accounts ADD COLUMN arbiter BIGINT NOT NULL DEFAULT 0;
