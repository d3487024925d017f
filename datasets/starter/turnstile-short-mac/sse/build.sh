#!/bin/sh
set -e
go build -o build/ ./cmd/turnstile
