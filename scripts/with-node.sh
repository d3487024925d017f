#!/bin/sh
# Runs a script of this workspace with the pinned Node.js, from the top of the clone: with-node.sh scripts/NAME.ts [ARGUMENT…]
set -eu
ROOT=$(CDPATH= cd -- "$(dirname -- "$0")/.." && pwd -P)
. "$ROOT/scripts/bring-node.sh"
bring_node
cd "$ROOT"
PATH="${NODE%/*}:$ROOT/node_modules/.bin:$PATH"
export PATH
exec "$NODE" --disable-warning=ExperimentalWarning "$@"
