#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# vm_load.sh NAME: prints "load NAME.touch N" and "load NAME.fork N": instructions
# that a program takes which touches 20000 pages, and one that has 40 children
# which write to 300 pages each. The best of five, in a guest whose clock counts
# instructions. With a session's name it waits until its file is there.
load=/src/build/bench/vmload
once() {
  from=$(date +%s%N)
  $load "$@" > /dev/null
  echo $(($(date +%s%N) - from))
}
best() {
  name=$1
  shift
  for i in 1 2 3 4 5; do
    once "$@"
  done | sort -n | head -1 | sed "s/^/load $name /"
}
sleep 1
best "$1.touch" touch 20000
best "$1.fork" fork 40 300
