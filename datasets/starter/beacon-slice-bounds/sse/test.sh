#!/bin/sh
set -e
/ssebench/scripts/build.sh
go test -v ./...
