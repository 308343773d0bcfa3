# Shared by the scripts: where things are kept, how a failure is said, how missing tools are fetched.
# shellcheck shell=bash disable=SC2034 # the scripts that include this use the variables

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/guildhall
TOOLS=$CACHE/tools
PATH=$PATH:$TOOLS/bin

# Used only where the tool is absent; what is installed already is taken as it is.
NEXTEST_VERSION=0.9.143
DENY_VERSION=0.20.2

die() {
    printf '%s: %s\n' "$(basename "$0")" "$*" >&2
    exit 1
}

have() { command -v "$1" >/dev/null 2>&1; }

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

COMMAND_PID=

# Runs a command so that a signal ends it at once: bash acts on one only when no foreground command is running.
run() {
    # A command in the background would otherwise start with SIGINT ignored, and hand that on.
    (trap - INT && exec "$@") <&0 &
    COMMAND_PID=$!
    local status=0
    wait "$COMMAND_PID" || status=$?
    COMMAND_PID=
    return "$status"
}

# A signal ends the command that runs, then the script.
end_on_signals() {
    trap 'end_with 130' INT
    trap 'end_with 143' TERM HUP
}

end_with() {
    trap '' INT TERM HUP
    if [ -n "$COMMAND_PID" ]; then
        kill -TERM "$COMMAND_PID" 2>/dev/null || true
        wait "$COMMAND_PID" 2>/dev/null || true
    fi
    exit "$1"
}

# The folder of PostgreSQL's server programs: Debian keeps them out of PATH, and the newest one wins.
postgres_bin() {
    local initdb
    initdb=$(printf '%s\n' /usr/lib/postgresql/*/bin/initdb | sort -V | tail -n 1)
    if [ ! -x "$initdb" ]; then
        initdb=$(command -v initdb) || return 1
        initdb=$(readlink -f "$initdb")
    fi
    dirname "$initdb"
}

# Prints the Debian packages whose commands are absent.
missing_packages() {
    postgres_bin >/dev/null || echo postgresql
    have cc || echo build-essential
    have curl || echo curl
    have jq || echo jq
    have node || echo nodejs
    have npm || echo npm
}

# install_missing_packages [LIST]: LIST is the function that prints them.
install_missing_packages() {
    local list=${1:-missing_packages} missing
    mapfile -t missing < <("$list")
    [ "${#missing[@]}" -gt 0 ] || return 0
    have apt-get || die "please install: ${missing[*]} (there is no apt-get here to do it)"
    [ "$(id -u)" = 0 ] || have sudo ||
        die "please install: ${missing[*]} (that takes root, and there is no sudo here)"
    echo "installing Debian packages: ${missing[*]}"
    as_root apt-get -qq update || die "apt-get update failed; still missing: ${missing[*]}"
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends \
        "${missing[@]}" >/dev/null || die "apt-get could not install: ${missing[*]}"
    mapfile -t missing < <("$list")
    [ "${#missing[@]}" -eq 0 ] || die "installed, yet still not found: ${missing[*]}"
}

# install_cargo_tool NAME VERSION: builds a cargo tool into the cache, unless it is there.
install_cargo_tool() {
    have "$1" && return 0
    echo "installing $1 $2 into $TOOLS (once, takes minutes)"
    # A target folder of its own: the project's must not grow by the tool's dependencies.
    CARGO_TARGET_DIR=$TOOLS/build cargo install --quiet --locked --root "$TOOLS" --version "$2" "$1" ||
        die "could not install $1 $2: cargo install --locked $1"
    rm -rf "$TOOLS/build"
}
