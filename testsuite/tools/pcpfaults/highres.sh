# SPDX-License-Identifier: GPL-2.0-or-later
# How PCP carries and logs HIGHRES_EVENT records, beside EVENT records: a real pmcd
# with PCP's own sample PMDA, which reports 7 and 7000 missed records in every
# fourth fetch. For events_pcp.exp.
export PATH=$PATH:/usr/sbin:/sbin:/usr/lib/pcp/bin:/usr/libexec/pcp/bin
. /etc/pcp.conf
D=/tmp/pcpfaults PORT=15329
rm -rf $D
mkdir -p $D
chown pcp $D
pm() { c=$1; shift; "$c" -h 127.0.0.1:$PORT "$@"; }
printf 'pmcd\t2\tdso\tpmcd_init\t%s/pmcd/pmda_pmcd.so\nsampledso\t30\tdso\tsample_init\t%s/sample/pmda_sample.so\n' \
  "$PCP_PMDAS_DIR" "$PCP_PMDAS_DIR" > $D/conf
cat > $D/ns <<NS
root {
    pmcd
    sampledso
}
pmcd {
    numagents 2:0:0
}
sampledso {
    records 30:0:136
    highres 30:0:139
    param
}
sampledso.param {
    type 30:0:127
    p32 30:0:128
    u32 30:0:129
    p64 30:0:130
    u64 30:0:131
    float 30:0:132
    double 30:0:133
    string 30:0:134
    aggregate 30:0:135
}
NS
PMCD_LOCAL=1 pmcd -f -A -i 127.0.0.1 -p $PORT -s $D/socket -c $D/conf -n $D/ns -l $D/log -U pcp -H mmvlab > $D/out 2>&1 &
PMCD=$!
trap 'kill $PMCD; wait; rm -rf $D' EXIT
tries=0
until pm pminfo sampledso.records > /dev/null 2>&1; do
  tries=$((tries + 1))
  [ $tries -lt 100 ] || { cat $D/out $D/log; exit 1; }
  sleep 0.2
done
for metric in records highres; do
  echo "== missed $metric"
  for i in 1 2 3 4; do pm pminfo -x sampledso.$metric 2>&1; done | sed -n 's/.*==> //p'
  echo "== archive $metric"
  echo "log mandatory on 200 msec { sampledso.$metric }" > $D/$metric.config
  pm pmlogger -c $D/$metric.config -l $D/$metric.log -s 8 $D/$metric > $D/$metric.out 2>&1
  pminfo -a $D/$metric sampledso 2>&1 | sort
done
