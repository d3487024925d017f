#!/bin/sh
# Unpacks one file with the built command. Exits 0 unless it panics, crashes or does not end.
output=$(timeout 20 target/debug/lzpack unpack "$1" "${TMPDIR:-/tmp}/unpacked" 2>&1)
status=$?
printf '%s\n' "$output"
case $output in
*"panicked at"*) exit 1 ;;
esac
[ "$status" -ne 101 ] && [ "$status" -lt 124 ]
