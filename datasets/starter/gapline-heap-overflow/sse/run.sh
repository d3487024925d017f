#!/bin/sh
# Compiles one program against the built library and an allocator that guards its blocks, and runs it. Exits 0 if it ends well.
set -e
out=$(mktemp -d)
rustc --edition 2021 -g --crate-type rlib -o "$out/libguard.rlib" /ssebench/harness/guard.rs
rustc --edition 2021 -g -L target/debug/deps --extern gapline=target/debug/libgapline.rlib \
    --extern guard="$out/libguard.rlib" -o "$out/program" "$1"
timeout 20 "$out/program"
