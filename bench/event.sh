# SPDX-License-Identifier: GPL-2.0-or-later
# The part of make bench that is about events; sourced by scripts/bench, whose
# functions and variables it uses.
run -g -DMAXACTION=10000000 "$seen/bench/event.stp"
run -g -DMAXACTION=10000000 "$seen/bench/event_printf.stp"
native bash -c "cd $seen/pmda && make -s OUT=$seen/build/bench $seen/build/bench/layout.h && cd $seen/build/bench &&
  gcc -O2 -std=gnu11 -Wall -Wextra -Wno-unused-function -I. -o event_decode $seen/bench/event_decode.c \
    $seen/pmda/{evfile,evcheck,drain,filter,filterlex,filterparse}.c -lpcp_pmda -lpcp"
native "$seen/build/bench/event_decode" | line
awk '
  { v[$2] = $3 }
  function ratio(name, a, b) { if (v[b]) printf "bench ratio.%s %.2f 1\n", name, v[a] / v[b] }
  END {
    ratio("event_0_to_bare", "event.put_0", "event.bare_0")
    ratio("event_2_to_bare", "event.put_2", "event.bare_2")
    ratio("event_5_to_bare", "event.put_5", "event.bare_5")
    ratio("event_text_to_bare", "event.put_text", "event.bare_text")
    ratio("event_2_to_printf", "event.put_2", "event.printf_2")
  }' "$out" | line
