#!/bin/sh
# Compiles one program against the built library and runs it. Exits 0 if it ends well.
set -e
out=$(mktemp -d)
rustc --edition 2021 -g --extern shlex=target/debug/libshlex.rlib -o "$out/program" "$1"
timeout 20 "$out/program"
