#!/bin/sh
# Prints one message with the built command, which takes milliseconds. Exits 0 unless it does not end, panics or crashes.
output=$(timeout -k 1 3 build/dnsdump "$1" 2>&1)
status=$?
printf '%s\n' "$output"
case $output in
*"panic: "* | *"fatal error: "*) exit 1 ;;
esac
if [ "$status" -eq 124 ] || [ "$status" -eq 137 ]; then
    echo "no end after 3 seconds"
fi
[ "$status" -lt 124 ]
