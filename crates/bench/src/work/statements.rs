//! What the measured operations execute, statement by statement, written by hand for both engines.
//!
//! The suites check on a copy of the database that one run of these changes as many rows of every table as one request
//! does, and on PostgreSQL that a request sends these and no others, so that the two cannot drift apart unseen.

/// One statement with its parameters, in the order of `$1`, `$2`, ….
pub(super) struct Statement {
    pub(super) sql: &'static str,
    /// What PostgreSQL needs behind it.
    pub(super) lock: &'static str,
    pub(super) parameters: &'static [Parameter],
}

/// Where the value of a parameter comes from.
#[derive(Clone, Copy, Debug)]
pub(super) enum Parameter {
    /// The person who asks.
    Account,
    Session,
    Agent,
    /// The connection that the person had from the start.
    Connection,
    /// The policy that the person's agent spends under.
    Policy,
    /// What the agent's key is found by.
    KeyDigest,
    /// The person's book of this kind.
    Book(&'static str),
    /// A number above those of all runs before it.
    NewNumber,
    /// A new id with this beginning.
    NewId(&'static str),
    /// Thirty-two bytes that no other run has.
    NewDigest,
    Text(&'static str),
    Int(i64),
    /// So many bytes.
    Bytes(usize),
    /// The present, in milliseconds.
    Now,
    /// A year from now.
    NextYear,
    Null,
}

use Parameter::{
    Account, Agent, Bytes, Connection, Int, NewDigest, NewId, NextYear, Now, Null, Session, Text,
};

/// How many bytes [`Bytes`] may be: pgbench has them from its command line.
pub(crate) const SIZES: [usize; 3] = [560, 690, 1_450];

/// How the store locks.
pub(super) const LOCK: &str = " FOR NO KEY UPDATE OF t";

pub(super) const fn plain(sql: &'static str, parameters: &'static [Parameter]) -> Statement {
    Statement { sql, lock: "", parameters }
}

const FIND_SESSION: Statement = plain(
    "SELECT t.session_id, t.account_id, t.token_digest, t.user_agent, t.created_at, t.last_seen_at, t.expires_at, \
     t.ended_at, a.email, a.display_name, a.created_at, a.disabled_at \
     FROM sessions t JOIN accounts a ON a.account_id = t.account_id WHERE t.session_id = $1",
    &[Session],
);

pub(super) const fn find_outcome(parameters: &'static [Parameter]) -> Statement {
    plain(
        "SELECT fingerprint, status, body, sealed_body, created_at, expires_at FROM idempotency \
         WHERE principal = $1 AND operation = $2 AND key_digest = $3",
        parameters,
    )
}

pub(super) const fn insert_outcome(parameters: &'static [Parameter]) -> Statement {
    plain(
        "INSERT INTO idempotency (principal, operation, key_digest, fingerprint, status, body, sealed_body, \
         created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
        parameters,
    )
}

pub(super) const fn count_item(feed: &'static [Parameter]) -> Statement {
    plain("UPDATE feeds SET last_seq = last_seq + 1 WHERE feed_id = $1", feed)
}

pub(super) const fn insert_item(parameters: &'static [Parameter]) -> Statement {
    plain(
        "INSERT INTO feed_items (feed_id, seq, item_id, kind, agent_id, task_id, subject_type, subject_id, data, \
         created_at) SELECT feed_id, last_seq, CAST($1 AS TEXT), CAST($2 AS TEXT), CAST($3 AS TEXT), \
         CAST($4 AS TEXT), CAST($5 AS TEXT), CAST($6 AS TEXT), CAST($7 AS TEXT), CAST($8 AS BIGINT) \
         FROM feeds WHERE feed_id = $9",
        parameters,
    )
}

/// Who did it and in which request, as long as it really is.
const ACTIVITY: Parameter = Text(
    "{\"actor\":\"acct_00000000000000000000000000000000\",\"request_id\":\"req_00000000000000000000000000000000\"}",
);

pub(super) const CREATE_CONNECTION: &[Statement] = &[
    FIND_SESSION,
    find_outcome(&[Account, Text("createConnection"), NewDigest]),
    plain(
        "SELECT t.agent_id, t.account_id, t.name, t.description, t.skills, t.hosted, t.visibility, t.paused, \
         t.card_source_url, t.payout_wallet, t.created_at, t.updated_at, t.retired_at, t.revision FROM agents t \
         WHERE t.agent_id = $1 AND t.account_id = $2",
        &[Agent, Account],
    ),
    plain(
        "INSERT INTO connections (connection_id, account_id, agent_id, client_catalog_id, client_display_name, \
         auth_kind, client_id, hosted, grant_id, created_at, key_digest, key_scopes, epoch, scopes, expires_at, \
         spend_policy_id, status, revoked_at, last_verified_at, last_seen_at, revision) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21)",
        &[
            NewId("conn_"),
            Account,
            Agent,
            Text("custom"),
            Null,
            Text("api_key"),
            Null,
            Int(0),
            NewId("grant_"),
            Now,
            NewDigest,
            Text("read worker"),
            Int(1),
            Text("read worker"),
            NextYear,
            Null,
            Text("authorized"),
            Null,
            Null,
            Null,
            Int(0),
        ],
    ),
    count_item(&[Account]),
    insert_item(&[
        NewId("ntf_"),
        Text("createConnection"),
        Null,
        Null,
        Text("connection"),
        NewId("conn_"),
        ACTIVITY,
        Now,
        Account,
    ]),
    plain(
        "INSERT INTO timers (timer_id, due_at, kind, subject_id, epoch) VALUES ($1, $2, $3, $4, $5) \
         ON CONFLICT (timer_id) DO UPDATE SET due_at = excluded.due_at, epoch = excluded.epoch",
        &[
            NewId("secrets.erase.00000000000000000000000000000000"),
            NextYear,
            Text("secrets.erase"),
            NewId("00000000000000000000000000000000"),
            Int(0),
        ],
    ),
    insert_outcome(&[
        Account,
        Text("createConnection"),
        NewDigest,
        NewDigest,
        Int(201),
        Bytes(560),
        Bytes(690),
        Now,
        NextYear,
    ]),
];

pub(super) const UPDATE_GRANT: &[Statement] = &[
    FIND_SESSION,
    find_outcome(&[Account, Text("updateConnectionGrant"), NewDigest]),
    Statement {
        sql: "SELECT t.connection_id, t.account_id, t.agent_id, t.client_catalog_id, t.client_display_name, \
              t.auth_kind, t.client_id, t.hosted, t.key_digest, t.key_scopes, t.grant_id, t.epoch, t.scopes, t.expires_at, \
              t.spend_policy_id, t.status, t.created_at, t.revoked_at, t.last_verified_at, t.last_seen_at, \
              t.revision, a.name FROM connections t JOIN agents a ON a.agent_id = t.agent_id \
              WHERE t.connection_id = $1 AND t.account_id = $2",
        lock: LOCK,
        parameters: &[Connection, Account],
    },
    plain(
        "UPDATE connections SET key_digest = key_digest, key_scopes = $1, epoch = epoch + $2, scopes = $3, expires_at = $4, \
         spend_policy_id = $5, status = $6, revoked_at = $7, last_verified_at = $8, last_seen_at = $9, \
         revision = revision + $10 WHERE connection_id = $11 AND revision >= $12",
        &[
            Text("read worker"),
            Int(1),
            Text("read worker"),
            NextYear,
            Null,
            Text("authorized"),
            Null,
            Null,
            Null,
            Int(1),
            Connection,
            Int(0),
        ],
    ),
    count_item(&[Account]),
    insert_item(&[
        NewId("ntf_b"),
        Text("updateConnectionGrant"),
        Null,
        Null,
        Text("connection"),
        Connection,
        ACTIVITY,
        Now,
        Account,
    ]),
    count_item(&[Agent]),
    insert_item(&[
        NewId("ntf_a"),
        Text("grant.changed"),
        Agent,
        Null,
        Text("connection"),
        Connection,
        Text("{\"epoch\": 1000,\"scopes\":[\"read\",\"worker\"]}"),
        Now,
        Agent,
    ]),
    plain(
        "INSERT INTO webhook_deliveries (webhook_id, item_id, status, attempts, due_at, created_at, revision) \
         SELECT w.webhook_id, CAST($1 AS TEXT), 'pending', 0, CAST($2 AS BIGINT), CAST($2 AS BIGINT), 0 \
         FROM webhooks w \
         WHERE w.account_id = COALESCE((SELECT a.account_id FROM agents a WHERE a.agent_id = $3), $3) \
         AND w.disabled_at IS NULL AND (w.kinds IS NULL OR replace(w.kinds, $4, '') <> w.kinds)",
        &[NewId("ntf_a"), Now, Agent, Text("\"grant.changed\"")],
    ),
    insert_outcome(&[
        Account,
        Text("updateConnectionGrant"),
        NewDigest,
        NewDigest,
        Int(200),
        Bytes(560),
        Null,
        Now,
        NextYear,
    ]),
];
