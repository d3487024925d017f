#!/bin/sh
# Reads the tags of one file with the built command. Exits 0 unless it panics, crashes or does not end.
output=$(timeout 20 build/tag -raw "$1" 2>&1)
status=$?
printf '%s\n' "$output"
case $output in
*"panic: "* | *"fatal error: "*) exit 1 ;;
esac
[ "$status" -lt 124 ]
