#!/bin/sh
# Prints the names in one list with the built command. Exits 0 unless a sanitizer reports, the program crashes, or it does not end.
output=$(timeout 20 build/quotels -f "$1" 2>&1)
status=$?
printf '%s\n' "$output"
case $output in
*"ERROR: AddressSanitizer"* | *"ERROR: LeakSanitizer"* | *"runtime error:"*) exit 1 ;;
esac
[ "$status" -lt 124 ]
