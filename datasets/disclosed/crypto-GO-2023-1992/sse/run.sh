#!/bin/sh
# Builds a small program against the packages of this tree, which checks one message. Exits 0 unless text that nobody signed passes as part of it.
set -e
out=$(mktemp -d)
go build -o "$out/verify" /ssebench/harness/verify.go
timeout 20 "$out/verify" /ssebench/harness/signer.asc "$1"
