#!/bin/sh
# Without the two tests that pin how a lone byte outside of ASCII is quoted: either way is right for them.
set -e
/ssebench/scripts/build.sh
cargo test --offline --locked --lib --tests -- --skip bytes::test_quote --skip bytes::test_join
