# shellcheck shell=sh
# Sourced by ./ssebench, ./demo, ./test and scripts/with-node.sh, with ROOT set to the top of the clone.
#
# bring_node sets NODE to the Node.js that everything here runs on, and installs the npm packages when they are missing
# or older than package-lock.json. On Linux with glibc that is the binary pinned in package.json, which npm brings as a
# package; elsewhere the system's own, 24 or newer. When nothing is to be done it starts no process at all.

NODE=''

say() { printf 'ssebench: %s\n' "$*" >&2; }

die() {
  say "$*"
  exit 1
}

# npm writes node_modules/.package-lock.json last, so it is the stamp of a complete installation.
packages_missing() {
  [ ! -e "$ROOT/node_modules/.package-lock.json" ] ||
    [ "$ROOT/package-lock.json" -nt "$ROOT/node_modules/.package-lock.json" ]
}

install_packages() {
  command -v npm >/dev/null 2>&1 || die "npm is not installed; install Node.js with npm (Debian, Ubuntu: apt-get install nodejs npm) and run this again"
  mkdir -p "$ROOT/.cache"
  (
    # Two commands that start at the same moment install once.
    if command -v flock >/dev/null 2>&1; then flock 9; fi
    packages_missing || exit 0
    say "installing the npm packages (npm ci), about 430 MB in node_modules"
    if ! (cd "$ROOT" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error) >"$ROOT/.cache/npm-ci.log" 2>&1 </dev/null; then
      head -n 12 "$ROOT/.cache/npm-ci.log" >&2
      die "npm ci failed, see $ROOT/.cache/npm-ci.log; it needs a registry that it can reach (npm config get registry)"
    fi
  ) 9>"$ROOT/.cache/npm.lock" || exit 1
}

bring_node() {
  if packages_missing; then install_packages; fi
  if [ -e /lib64/ld-linux-x86-64.so.2 ] || [ -e /lib/ld-linux-aarch64.so.1 ]; then
    # npm installs the one that fits this machine.
    for NODE in "$ROOT"/node_modules/node-linux-*/bin/node; do
      [ -x "$NODE" ] && return
    done
  fi
  NODE=$(command -v node) || die "Node.js is not installed; install version 24 or newer"
  "$NODE" -e 'process.exit(process.versions.node.split(".")[0] >= 24 ? 0 : 1)' ||
    die "Node.js 24 or newer is needed on this system, found $("$NODE" --version) at $NODE"
}
