#!/bin/sh
# Without vet, which is younger than the sources.
set -e
/ssebench/scripts/build.sh
go test -v -vet=off -timeout 2m .
