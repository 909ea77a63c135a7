# SPDX-License-Identifier: GPL-2.0-or-later
# For shell commands of tests, sourced where the script runs: finding what a
# script published, and reading it as PCP does.
PATH=$PATH:/usr/sbin:/sbin:/usr/lib/pcp/bin:/usr/libexec/pcp/bin
. /etc/pcp.conf
MMV_DIR=${PCP_TMP_DIR:=/var/lib/pcp/tmp}/mmv
export PCP_TMP_DIR PCP_PYTHON_PROG=/usr/bin/python3
PMDA=$PCP_PMDAS_DIR/mmv

# Waits until every named file is there, at most 15 s each.
await() {
  for f; do
    tries=0
    until [ -e "$MMV_DIR/$f" ]; do
      tries=$((tries + 1))
      [ $tries -lt 150 ] || { echo "no $MMV_DIR/$f"; return 1; }
      sleep 0.1
    done
  done
}

# Waits until a name is gone, dangling or not.
await_gone() {
  tries=0
  while [ -e "$MMV_DIR/$1" ] || [ -L "$MMV_DIR/$1" ]; do
    tries=$((tries + 1))
    [ $tries -lt 100 ] || { echo "still there: $MMV_DIR/$1"; return 1; }
    sleep 0.1
  done
}

# The mmv PMDA in a process of its own, no daemon: info OPTIONS METRIC...
info() {
  printf 'root {\n    mmv\t70:*:*\n}\n' > "/tmp/ns.$$"
  $UNDER pminfo -L -Kclear -Kadd,70,$PMDA/pmda_mmv.so,mmv_init -n "/tmp/ns.$$" "$@"
  rc=$?
  rm -f "/tmp/ns.$$"
  return $rc
}

# A real pmcd with the mmv PMDA inside, as user pcp; `pm COMMAND ...` runs a
# client against it.
PMCD_PORT=14321
start_pmcd() {
  [ -e /run/mmv-pmcd/up ] && return 0
  mkdir -p /run/mmv-pmcd
  chown pcp /run/mmv-pmcd
  printf 'pmcd\t2\tdso\tpmcd_init\t%s/pmcd/pmda_pmcd.so\nmmv\t70\tdso\tmmv_init\t%s/pmda_mmv.so\n' \
    "$PCP_PMDAS_DIR" "$PMDA" > /run/mmv-pmcd/conf
  printf 'root {\n    pmcd\n    mmv\t70:*:*\n}\npmcd {\n    numagents 2:0:0\n}\n' > /run/mmv-pmcd/ns
  PMCD_LOCAL=1 pmcd -f -A -i 127.0.0.1 -p $PMCD_PORT -s /run/mmv-pmcd/socket -c /run/mmv-pmcd/conf \
    -n /run/mmv-pmcd/ns -l /run/mmv-pmcd/log -U pcp -H mmvlab > /run/mmv-pmcd/out 2>&1 &
  echo $! > /run/mmv-pmcd/pid
  tries=0
  until pm pminfo mmv.control.files > /dev/null 2>&1; do
    tries=$((tries + 1))
    [ $tries -lt 40 ] || { echo "pmcd does not answer"; cat /run/mmv-pmcd/out /run/mmv-pmcd/log; return 1; }
    sleep 0.3
  done
  : > /run/mmv-pmcd/up
}
stop_pmcd() {
  [ -e /run/mmv-pmcd/pid ] && kill "$(cat /run/mmv-pmcd/pid)" 2>/dev/null
  rm -rf /run/mmv-pmcd
}
pm() { c=$1; shift; "$c" -h 127.0.0.1:$PMCD_PORT "$@"; }
