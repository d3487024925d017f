#!/bin/sh
set -e
cargo build --offline --locked
