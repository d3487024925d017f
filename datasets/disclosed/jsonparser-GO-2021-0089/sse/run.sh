#!/bin/sh
# Builds a small program against this tree, which deletes a key from one document. Exits 0 if it comes to an end.
set -e
out=$(mktemp -d)
go build -o "$out/delete" /ssebench/harness/delete.go
status=0
timeout 10 "$out/delete" "$1" || status=$?
if [ "$status" -eq 124 ]; then
    echo "BUG: it is still at it after ten seconds"
fi
exit "$status"
