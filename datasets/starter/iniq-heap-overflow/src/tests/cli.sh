#!/bin/sh
# The command against the files in tests/data: what it prints, and its status.
iniq=$1
data=$(dirname "$0")/data
failures=0

expect() {
    if [ "$2" = "$3" ]; then
        echo "ok   $1"
    else
        printf 'FAIL %s\n  wanted %s\n  got    %s\n' "$1" "$2" "$3"
        failures=$((failures + 1))
    fi
}

expect "all entries" "$(cat "$data/server.txt")" "$("$iniq" "$data/server.ini")"
expect "one entry" "/srv/www/log" "$("$iniq" "$data/server.ini" paths.log)"

"$iniq" "$data/server.ini" paths.nothing
expect "status of an entry that is not there" 1 $?

"$iniq" "$data/no-such-file.ini" 2>/dev/null
expect "status of a file that is not there" 2 $?

[ "$failures" -eq 0 ]
