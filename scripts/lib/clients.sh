# The clients that others wrote, installed outside the clone, and a market for them. Needs common.sh.
# shellcheck shell=bash disable=SC2034,SC2153 # scripts/clients uses and sets the variables

CLIENTS=$ROOT/clients
MARKET_PID=
FIXTURE_PID=

# Prints the Debian packages whose commands the clients need and lack.
missing_client_packages() {
    have cc || echo build-essential
    have curl || echo curl
    have jq || echo jq
    have node || echo nodejs
    have npm || echo npm
    have chromium || echo chromium
    python3 -c 'import ensurepip, venv' >/dev/null 2>&1 || echo python3-venv
}

# install_once KIND NAME COMMAND…: COMMAND fills a fresh folder, which then takes its place. What is there is done.
install_once() {
    local place=$CACHE/clients/$1-$2 fresh
    shift 2
    if [ ! -d "$place" ]; then
        mkdir -p "$CACHE/clients"
        fresh=$(mktemp -d "$CACHE/clients/.XXXXXX")
        # To standard error: what is printed here is the place.
        "$@" "$fresh" >&2 || {
            rm -rf "$fresh"
            return 1
        }
        # Moved into place whole, so that an interrupted install is never taken for one.
        mv -T "$fresh" "$place" || [ -d "$place" ] || return 1
    fi
    echo "$place"
}

npm_into() {
    cp "$CLIENTS/package.json" "$CLIENTS/package-lock.json" "$1" &&
        npm ci --prefix "$1" --ignore-scripts --no-audit --no-fund --loglevel=error
}

# By its own interpreter and without dependencies of its own choice: the file names every one, with its digest.
pip_into() {
    python3 -m venv "$1" &&
        "$1/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes \
            --requirement "$CLIENTS/requirements.txt"
}

digest_of() { cat "$@" | sha256sum | cut -c 1-16; }

# Sets NODE_CLIENTS and NODE_BIN; what is installed is named by its lock file: once for all clones, anew when that changes.
install_node_clients() {
    NODE_CLIENTS=$(install_once npm "$(digest_of "$CLIENTS/package-lock.json")" npm_into) ||
        die "npm could not install the clients of clients/package-lock.json"
    # By its own folder: not every npm links it among the others.
    NODE_BIN=$(dirname "$NODE_CLIENTS"/node_modules/node-linux-*/bin/node)
    [ -x "$NODE_BIN/node" ] || die "clients/package.json has no Node for this machine ($(uname -sm))"
}

# Sets NODE_CLIENTS, NODE_BIN and PYTHON.
install_clients() {
    local interpreter
    install_node_clients
    # A virtual environment belongs to the interpreter that made it.
    interpreter=$(python3 -c 'import sys; print(sys.executable, sys.version)')
    PYTHON=$(install_once python "$(digest_of "$CLIENTS/requirements.txt" - <<<"$interpreter")" pip_into)/bin/python ||
        die "pip could not install the clients of clients/requirements.txt"
}

# wait_for_line FILE PID: until the program has written its first line; fails when it ends before.
wait_for_line() {
    local tries
    for ((tries = 0; tries < 600; tries++)); do
        [ "$(wc -l <"$1")" -eq 0 ] || return 0
        kill -0 "$2" 2>/dev/null || return 1
        sleep 0.05
    done
    return 1
}

# Below the range from which the kernel takes the ports of outgoing connections.
some_port() { echo $((15000 + SRANDOM % 17000)); }

# market_start FOLDER: a market with demo data at localhost, which browsers give passkeys to; it is announced in
# FOLDER/announced.json.
market_start() {
    local folder=$1 port attempt
    for ((attempt = 0; attempt < 10; attempt++)); do
        port=$(some_port)
        : >"$folder/announced.json"
        market_run "$folder" "$port" >"$folder/announced.json" 2>"$folder/market.log" </dev/null &
        MARKET_PID=$!
        wait_for_line "$folder/announced.json" "$MARKET_PID" && return 0
        stop "$MARKET_PID"
    done
    cat "$folder/market.log" >&2
    die "the market did not start"
}

market_run() {
    local variable
    # What is set for another market is not meant for this one.
    for variable in $(compgen -e GUILDHALL_); do unset "$variable"; done
    # Every client comes from one address here, and faster than people do.
    export GUILDHALL_SERVER_BASE_URL=http://localhost:$2 GUILDHALL_LIMITS_SIGN_IN=10000 GUILDHALL_LIMITS_IP=100000
    exec "$MARKET_BIN" dev --listen "127.0.0.1:$2" --data "$1/data" --print json
}

# fixture_start FOLDER: the MCP transport with the conformance suite's own tools, at FIXTURE_URL.
fixture_start() {
    local port attempt tries
    for ((attempt = 0; attempt < 10; attempt++)); do
        port=$(some_port)
        FIXTURE_URL=http://127.0.0.1:$port/mcp
        "$FIXTURE_BIN" "127.0.0.1:$port" >"$1/fixture.log" 2>&1 </dev/null &
        FIXTURE_PID=$!
        # It says nothing when it is ready, and ends where another program listens.
        for ((tries = 0; tries < 100; tries++)); do
            sleep 0.05
            kill -0 "$FIXTURE_PID" 2>/dev/null || break
            curl --silent --output /dev/null "$FIXTURE_URL" && return 0
        done
        stop "$FIXTURE_PID"
    done
    cat "$1/fixture.log" >&2
    die "mcp-fixture did not start"
}

stop() {
    [ -n "$1" ] || return 0
    kill -TERM "$1" 2>/dev/null || true
    wait "$1" 2>/dev/null || true
}

clients_stop() {
    stop "$MARKET_PID"
    stop "$FIXTURE_PID"
}
