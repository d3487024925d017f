#!/bin/sh
# The command and the library, with AddressSanitizer.
set -e
make -j2 CFLAGS="-O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined"
