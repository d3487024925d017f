#!/bin/sh
# Makes the files of tests/tree. Some of these names can't be kept in every checkout, archive or file system.
set -e
mkdir -p "$1"
cd "$1"
mkdir 'sub dir'
for name in plain.txt 'with space' ' leading and trailing ' "it's" 'say "hello"' 'back\slash' -n --help '*' '$(id)' '[a-z]' \
    ':(exclude)x' '#comment' '~' .hidden 'Größe' 'sub dir/-x'; do
    echo "This file is called: $name" >./"$name"
done
for name in 'two\nlines' 'tab\there' 'carriage\rreturn' '\nline end first' 'bell\a' '\377\376 is no UTF-8'; do
    printf '%b' "$name" >"$(printf '%b' "$name")"
done
ln -s 'nowhere "at all"' 'a dangling link'
: >empty
