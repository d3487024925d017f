#!/bin/sh
set -e
/ssebench/scripts/build.sh
make -j2 check CFLAGS="-O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined"
