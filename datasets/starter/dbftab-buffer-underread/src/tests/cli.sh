#!/bin/sh
# The command against the table in tests/data: what it prints, and its status.
dbftab=$1
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

expect "a table" "$(cat "$data/disks.csv")" "$("$dbftab" "$data/disks.dbf")"

expect "a damaged table" "dbftab: $data/cut.dbf: the last record is cut off" "$("$dbftab" "$data/cut.dbf" 2>&1)"
"$dbftab" "$data/cut.dbf" 2>/dev/null
expect "status of a damaged table" 1 $?

"$dbftab" "$data/nothing.dbf" 2>/dev/null
expect "status of a file that is not there" 2 $?

[ "$failures" -eq 0 ]
