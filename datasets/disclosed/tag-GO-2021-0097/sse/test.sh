#!/bin/sh
# All packages but cmd/check, which needs another module.
set -e
/ssebench/scripts/build.sh
go test . ./mbz ./cmd/sum ./cmd/tag
