#!/bin/sh
# The tests, without the examples of the documentation, which are compiled one by one.
set -e
/ssebench/scripts/build.sh
cargo test --offline --locked --lib --tests
