#!/bin/sh
# The command: what it prints for the files in tests/tree, and its status.
quotels=$1
tests=$(dirname "$0")
failures=0

expect() {
    if [ "$2" = "$3" ]; then
        echo "ok   $1"
    else
        printf 'FAIL %s\n  wanted %s\n  got    %s\n' "$1" "$2" "$3"
        failures=$((failures + 1))
    fi
}

expect "a directory" "$(cat "$tests/tree.txt")" "$("$quotels" "$tests/tree")"
expect "a list" "$(cat "$tests/tree.txt")" "$(cd "$tests/tree" && find . ! -type d -printf '%P\0' | "$OLDPWD/$quotels" -f /dev/stdin)"
expect "a pattern" '"sub dir/-x"' "$("$quotels" "$tests/tree" 'sub*')"

"$quotels" "$tests/tree" 'nothing*'
expect "status when nothing matches" 1 $?
"$quotels" "$tests/no such directory" 2>/dev/null
expect "status of a directory that is not there" 2 $?
"$quotels" 2>/dev/null
expect "status of a wrong call" 2 $?

[ "$failures" -eq 0 ]
