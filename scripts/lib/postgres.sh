# A PostgreSQL server for tests: its own folder, its own port, gone afterwards. Needs common.sh.
# shellcheck shell=bash

PG_DIR=
PG_PID=

# initdb and postgres refuse to run as root, so root lends them another user.
pg_user() {
    if id postgres >/dev/null 2>&1; then echo postgres; else echo nobody; fi
}

pg_run() {
    if [ "$(id -u)" != 0 ]; then
        exec "$@"
    fi
    local user
    user=$(pg_user)
    exec setpriv --reuid="$user" --regid="$(id -g "$user")" --clear-groups "$@"
}

# Nothing of this cluster has to survive a power cut, so it does not wait for the disk;
# with GUILDHALL_PG_FSYNC=on it does, for whoever measures it.
PG_SYNC=${GUILDHALL_PG_FSYNC:-off}
PG_SETTINGS=(
    -c listen_addresses=127.0.0.1
    -c fsync="$PG_SYNC" -c synchronous_commit="$PG_SYNC" -c full_page_writes="$PG_SYNC"
    -c max_connections=300 -c shared_buffers=128MB -c deadlock_timeout=200ms
    -c log_min_messages=fatal
)

pg_create() {
    # Not under TMPDIR: that may be a folder which the lent user cannot enter.
    PG_DIR=$(mktemp -d /tmp/guildhall-pg.XXXXXX)
    [ "$(id -u)" != 0 ] || chown "$(pg_user)" "$PG_DIR"
    (cd "$PG_DIR" && pg_run "$1/initdb" --pgdata=data --username=postgres --auth=trust \
        --encoding=UTF8 --no-locale --no-sync) >"$PG_DIR/initdb.log" 2>&1 || {
        cat "$PG_DIR/initdb.log" >&2
        die "initdb failed"
    }
}

# pg_try BIN PORT: starts the server there; fails when it ends before it is ready, as on a port that is taken.
pg_try() {
    (cd "$PG_DIR" && pg_run "$1/postgres" -D data -k "$PG_DIR" -p "$2" "${PG_SETTINGS[@]}") \
        >"$PG_DIR/server.log" 2>&1 </dev/null &
    PG_PID=$!
    local tries
    for ((tries = 0; tries < 600; tries++)); do
        # By its socket: on a taken port, another server would answer.
        "$1/pg_isready" --quiet --host="$PG_DIR" --port="$2" && return 0
        kill -0 "$PG_PID" 2>/dev/null || break
        sleep 0.05
    done
    pg_kill
    return 1
}

pg_start() {
    local bin port attempt
    bin=$(postgres_bin) || die "PostgreSQL is not installed (Debian: apt-get install postgresql)"
    pg_create "$bin"
    for ((attempt = 0; attempt < 20; attempt++)); do
        # Below the range from which the kernel takes the ports of outgoing connections.
        port=$((15000 + RANDOM % 17000))
        if pg_try "$bin" "$port"; then
            export GUILDHALL_TEST_POSTGRES=postgres://postgres@127.0.0.1:$port/postgres
            export GUILDHALL_TEST_PG_BIN=$bin
            return 0
        fi
    done
    cat "$PG_DIR/server.log" >&2
    die "PostgreSQL did not start"
}

pg_kill() {
    [ -n "$PG_PID" ] || return 0
    # Immediate shutdown: nothing is kept, so nothing needs a checkpoint.
    kill -QUIT "$PG_PID" 2>/dev/null || true
    wait "$PG_PID" 2>/dev/null || true
    PG_PID=
}

pg_stop() {
    pg_kill
    [ -z "$PG_DIR" ] || rm -rf "$PG_DIR"
    PG_DIR=
}
