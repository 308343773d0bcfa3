//! What posting a task as an agent executes.

use super::statements::Parameter::{
    Account, Agent, Book, Bytes, Connection, Int, KeyDigest, NewDigest, NewId, NewNumber, NextYear,
    Now, Null, Policy, Text,
};
use super::statements::{
    LOCK, Parameter, Statement, count_item, find_outcome, insert_item, insert_outcome, plain,
};

/// What every post sets aside.
const BUDGET: Parameter = Int(1_000_000);
/// A sum that is as long as what an account has.
const BALANCE: Parameter = Int(999_000_000_000);
const PLENTY: Parameter = Int(1_000_000_000_000_000);
const TASK: Parameter = NewId("task_");
const TRANSFER: Parameter = NewId("led_");

const FIND_KEY: Statement = plain(
    "SELECT t.connection_id, t.account_id, t.agent_id, t.client_catalog_id, t.client_display_name, t.auth_kind, \
     t.client_id, t.hosted, t.key_digest, t.key_scopes, t.grant_id, t.epoch, t.scopes, t.expires_at, t.spend_policy_id, t.status, \
     t.created_at, t.revoked_at, t.last_verified_at, t.last_seen_at, t.revision, a.name, a.retired_at, \
     o.disabled_at, p.policy_id, p.version, p.status, p.paused, p.expires_at \
     FROM connections t JOIN agents a ON a.agent_id = t.agent_id JOIN accounts o ON o.account_id = t.account_id \
     LEFT JOIN spend_policies p ON p.policy_id = t.spend_policy_id WHERE t.key_digest = $1",
    &[KeyDigest],
);

const LOCK_POLICY: Statement = Statement {
    sql: "SELECT t.policy_id, t.account_id, t.version, t.status, t.max_per_command, t.max_per_day, t.max_per_month, \
          t.max_total, t.max_open_tasks, t.max_per_worker_day, t.allowed_operations, t.allowed_models, \
          t.worker_allowlist, t.worker_blocklist, t.approval_above, t.max_delegation_depth, t.paused, t.expires_at, \
          t.used_as_of, t.used_day, t.used_month, t.used_total, t.reserved, t.open_tasks, t.created_at, \
          t.updated_at, t.revision FROM spend_policies t WHERE t.policy_id = $1 AND t.account_id = $2",
    lock: LOCK,
    parameters: &[Policy, Account],
};

const INSERT_COMMAND: Statement = plain(
    "INSERT INTO commands (command_id, account_id, agent_id, connection_id, policy_id, policy_version, operation, \
     reserved, created_at, state, task_id, charged, released, evidence_ref, request, reserved_at, updated_at, \
     revision) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)",
    &[
        NewId("cmd_"),
        Account,
        Agent,
        Connection,
        Policy,
        Int(1),
        Text("post"),
        BUDGET,
        Now,
        Text("reserved"),
        TASK,
        Int(0),
        Int(0),
        Null,
        Null,
        Now,
        Now,
        Int(0),
    ],
);

/// The running sums are added to in place: only the service knows them.
const RESERVE: Statement = plain(
    "UPDATE spend_policies SET version = $1, status = $2, max_per_command = $3, max_per_day = $4, \
     max_per_month = $5, max_total = $6, max_open_tasks = $7, max_per_worker_day = $8, allowed_operations = $9, \
     allowed_models = $10, worker_allowlist = $11, worker_blocklist = $12, approval_above = $13, \
     max_delegation_depth = $14, paused = $15, expires_at = $16, used_as_of = $17, used_day = used_day + $18, \
     used_month = used_month + $19, used_total = used_total + $20, reserved = reserved + $21, \
     open_tasks = open_tasks + $22, updated_at = $23, revision = revision + $24 \
     WHERE policy_id = $25 AND revision >= $26",
    &[
        Int(1),
        Text("active"),
        PLENTY,
        PLENTY,
        Null,
        Null,
        Null,
        Null,
        Null,
        Null,
        Null,
        Null,
        Null,
        Int(3),
        Int(0),
        Null,
        Now,
        BUDGET,
        BUDGET,
        BUDGET,
        BUDGET,
        Int(1),
        Now,
        Int(1),
        Policy,
        Int(0),
    ],
);

const INSERT_TASK: Statement = plain(
    "INSERT INTO tasks (task_id, account_id, buyer_agent_id, command_id, title, brief, criteria, checks, \
     auto_accept_on_checks, budget, rail, tier, invited_agent_ids, selection_mode, accept_window, delivery_window, \
     review_window, parent_task_id, depth, listing_id, hire, created_at, buyer_wallet, status, selections, \
     deliveries, change_requests, due_at, updated_at, revision) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, \
     $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30)",
    &[
        TASK,
        Account,
        Agent,
        NewId("cmd_"),
        Text("Summarise a paper"),
        Text("Read the paper and write a page about it."),
        Text("[\"One page.\",\"Names the three main results.\"]"),
        Text("[]"),
        Int(0),
        BUDGET,
        Text("credits"),
        Text("public"),
        Text("[]"),
        Text("manual"),
        Int(86_400),
        Int(604_800),
        Int(259_200),
        Null,
        Int(1),
        Null,
        Null,
        Now,
        Null,
        Text("open"),
        Int(0),
        Int(0),
        Int(0),
        NextYear,
        Now,
        Int(0),
    ],
);

const LOCK_BOOKS: Statement = Statement {
    sql: "SELECT t.book, t.owner, t.agent_id, t.balance, t.seq, t.head_hash FROM ledger_accounts t \
          WHERE t.book IN ($1, $2) ORDER BY t.book",
    lock: LOCK,
    parameters: &[Book("available"), Book("reserved")],
};

const fn change_book(parameters: &'static [Parameter]) -> Statement {
    plain(
        "UPDATE ledger_accounts SET live = $1, balance = balance + $2, seq = seq + $3, head_hash = $4 \
         WHERE book = $5 AND seq >= $6",
        parameters,
    )
}

pub(super) const POST_TASK: &[Statement] = &[
    FIND_KEY,
    find_outcome(&[Connection, Text("agentPostTask"), NewDigest]),
    plain("SELECT reason FROM switches WHERE name = $1", &[Text("spending")]),
    LOCK_POLICY,
    plain(
        "SELECT count(*) FROM tasks WHERE account_id = $1 \
         AND status NOT IN ('completed', 'refunded', 'cancelled')",
        &[Account],
    ),
    INSERT_COMMAND,
    RESERVE,
    INSERT_TASK,
    plain("INSERT INTO feeds (feed_id, last_seq) VALUES ($1, 0)", &[TASK]),
    plain(
        "INSERT INTO search_documents (kind, document_id, words) VALUES ($1, $2, $3) \
         ON CONFLICT (kind, document_id) DO UPDATE SET words = excluded.words",
        &[Text("task"), TASK, Text("a task with a brief of a few words and one criterion")],
    ),
    plain(
        "INSERT INTO timers (timer_id, due_at, kind, subject_id, epoch) VALUES ($1, $2, $3, $4, $5) \
         ON CONFLICT (timer_id) DO UPDATE SET due_at = excluded.due_at, epoch = excluded.epoch",
        &[NewId("task.run_out:task_"), NextYear, Text("task.run_out"), TASK, Int(0)],
    ),
    LOCK_BOOKS,
    change_book(&[Int(1), Int(-1_000_000), Int(1), NewDigest, Book("available"), Int(0)]),
    change_book(&[Int(1), BUDGET, Int(1), NewDigest, Book("reserved"), Int(0)]),
    plain(
        "INSERT INTO ledger_transfers (transfer_id, movement, debit, credit, amount, agent_id, task_id, created_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        &[TRANSFER, Text("reserve"), Book("available"), Book("reserved"), BUDGET, Agent, TASK, Now],
    ),
    plain(
        "INSERT INTO ledger_entries (book, seq, transfer_id, delta, balance_after, hash) \
         VALUES ($1, $2, $3, $4, $5, $6), ($7, $8, $9, $10, $11, $12)",
        &[
            Book("available"),
            NewNumber,
            TRANSFER,
            Int(-1_000_000),
            BALANCE,
            NewDigest,
            Book("reserved"),
            NewNumber,
            TRANSFER,
            BUDGET,
            BALANCE,
            NewDigest,
        ],
    ),
    count_item(&[Account]),
    insert_item(&[
        NewId("ntf_a"),
        Text("agentPostTask"),
        Agent,
        Null,
        Text("task"),
        TASK,
        Text(
            "{\"actor\":\"conn_00000000000000000000000000000000\",\
             \"request_id\":\"req_00000000000000000000000000000000\"}",
        ),
        Now,
        Account,
    ]),
    count_item(&[TASK]),
    insert_item(&[
        NewId("ntf_b"),
        Text("created"),
        Null,
        TASK,
        Text("task"),
        TASK,
        Text(
            "{\"actor\":{\"agent_id\":\"agent_00000000000000000000000000000000\",\"type\":\"agent\"},\
             \"status\":\"open\"}",
        ),
        Now,
        TASK,
    ]),
    insert_outcome(&[
        Connection,
        Text("agentPostTask"),
        NewDigest,
        NewDigest,
        Int(201),
        Bytes(1_450),
        Null,
        Now,
        NextYear,
    ]),
];
