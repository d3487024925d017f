# shellcheck shell=sh
# Sourced by ./demo and ./test after bring-node.sh, with ROOT set. set_up makes a machine that has Node.js and npm, and
# nothing else, ready for runs: npm packages, a container engine that answers, and what the base image needs. It says what
# it is going to install before it does; with INSTALL=no it only says what is missing, and ends with status 1.

ENGINE_LOG="$ROOT/.cache/dockerd.log"
ENGINE_START_LIMIT=60

probe() {
  if [ -x "${NODE:-}" ]; then "$NODE" "$ROOT/scripts/engine-probe.cjs" "$@"; else node "$ROOT/scripts/engine-probe.cjs" "$@"; fi
}

# Adds a line to the list of what is missing.
lacks() { MISSING="$MISSING  - $1
"; }

can_install() { [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; }

# Ends with the remedy when an engine doesn't answer and this script is not the one to mend it.
explain_engine() { # reason
  [ -z "${DOCKER_HOST:-}" ] || die "no container engine answers at DOCKER_HOST=$DOCKER_HOST ($1); start it, or unset DOCKER_HOST"
  case $1 in
    EACCES*) die "this user may not use the container engine ($1); run as root, or: sudo usermod -aG docker $(id -un), then log in again" ;;
  esac
  [ "$(uname -s)" = Linux ] || die "no container engine answers ($1); start Docker, or set DOCKER_HOST to one that runs"
  [ "$(id -u)" = 0 ] ||
    die "no container engine answers ($1) and only root can install one; run this as root, or: sudo apt-get install docker.io && sudo usermod -aG docker $(id -un)"
  command -v dockerd >/dev/null 2>&1 || can_install ||
    die "no container engine answers ($1) and there is no apt-get to install one with; install Docker and run this again"
}

list_missing() {
  MISSING='' ENGINE=answers BOOTSTRAP=no
  if packages_missing; then lacks "the npm packages of package-lock.json (npm ci, about 430 MB in node_modules)"; fi
  if ! reason=$(probe ping 2>&1); then
    explain_engine "$reason"
    if command -v dockerd >/dev/null 2>&1; then
      ENGINE=stopped
      lacks "a running container engine (dockerd, started in the background, log in $ENGINE_LOG)"
    else
      ENGINE=absent
      lacks "a container engine (Debian packages docker.io and iptables; dockerd in the background, log in $ENGINE_LOG)"
    fi
    command -v mmdebstrap >/dev/null 2>&1 ||
      lacks "mmdebstrap (Debian package), only if the image debian:trixie-slim can't be pulled"
  elif ! command -v mmdebstrap >/dev/null 2>&1 && ! probe base >/dev/null 2>&1; then
    BOOTSTRAP=yes
    lacks "mmdebstrap (Debian package), since the image debian:trixie-slim can't be pulled here"
  fi
}

apt_install() { # package…
  can_install || die "missing Debian packages: $*; as root: apt-get install $*"
  say "apt-get install $* (log in $ROOT/.cache/apt.log)"
  if ! {
    apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends "$@"
  } >"$ROOT/.cache/apt.log" 2>&1 </dev/null; then
    tail -n 20 "$ROOT/.cache/apt.log" >&2
    die "apt-get could not install $*, see above"
  fi
}

start_engine() {
  if probe ping 2>/dev/null; then return; fi
  if [ -d /run/systemd/system ]; then
    systemctl start docker || die "systemctl start docker failed; see: journalctl -u docker"
    ENGINE_PID=0
  elif ENGINE_PID=$(cat /var/run/docker.pid 2>/dev/null) && kill -0 "$ENGINE_PID" 2>/dev/null; then
    say "dockerd runs already (process $ENGINE_PID), waiting for its answer"
  else
    say "starting dockerd"
    setsid dockerd >"$ENGINE_LOG" 2>&1 </dev/null &
    ENGINE_PID=$!
  fi
  if ! reason=$(probe wait "$ENGINE_START_LIMIT" "$ENGINE_PID" 2>&1); then
    tail -n 15 "$ENGINE_LOG" >&2 2>/dev/null || :
    die "dockerd does not answer: $reason; log: $ENGINE_LOG"
  fi
}

set_up() {
  command -v npm >/dev/null 2>&1 || ! packages_missing ||
    die "npm is not installed; install Node.js with npm (Debian, Ubuntu: apt-get install nodejs npm) and run this again"
  mkdir -p "$ROOT/.cache"
  packages_missing || bring_node
  list_missing
  if [ -n "$MISSING" ]; then
    if [ "${INSTALL:-yes}" = no ]; then
      printf 'Missing, and --no-install was given:\n%s' "$MISSING" >&2
      exit 1
    fi
    printf 'About to install or start:\n%s' "$MISSING" >&2
  fi
  bring_node
  if [ "$ENGINE" = absent ]; then apt_install docker.io iptables ca-certificates; fi
  if [ "$ENGINE" != answers ]; then
    start_engine
    if ! command -v mmdebstrap >/dev/null 2>&1 && ! probe base >/dev/null 2>&1; then BOOTSTRAP=yes; fi
  fi
  if [ "$BOOTSTRAP" = yes ]; then apt_install mmdebstrap debian-archive-keyring; fi
}
