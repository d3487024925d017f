#!/bin/sh
set -e
/ssebench/scripts/build.sh
cargo test --offline --locked
