#!/bin/sh
# All packages but cmd/check, which needs another module. Without vet, which is younger than the sources.
set -e
/ssebench/scripts/build.sh
go test -v -vet=off . ./mbz ./cmd/sum ./cmd/tag
