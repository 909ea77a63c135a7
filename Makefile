# SPDX-License-Identifier: GPL-2.0-or-later
prefix  ?= $(patsubst %/bin/,%,$(dir $(or $(shell command -v stap 2>/dev/null),/usr/bin/stap)))
datadir ?= $(prefix)/share
STAPDATA = $(DESTDIR)$(datadir)/systemtap
# PCP's configuration; empty: nothing is installed there.
pcpconf ?= $(or $(shell sed -n 's/^PCP_SYSCONF_DIR=//p' /etc/pcp.conf 2>/dev/null),/etc/pcp)
PCPCONF  = $(addprefix $(DESTDIR),$(pcpconf))
LAB     ?= trixie
export LAB

help:           ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1#\2/p' Makefile | column -t -s'#'
demo:           ## count real kernel events and show them in PCP
	@scripts/demo
check:          ## all tests; T=name for the files that begin so, JOBS=2 at a time
	@scripts/check $(T)
bench:          ## what declaring, updating, compiling and reading cost
	@scripts/bench
fuzz:           ## random declarations, updates and changes, judged (N=files, SEED=number)
	@scripts/fuzz $(N) $(SEED)
soak:           ## everything at once for a while (MINUTES=10)
	@scripts/soak $(MINUTES)
lab:            ## build the lab that the tests and the demo use (LAB=trixie|sid|bookworm|host)
	@lab/lab build
lab-start:      ## start its guest, which then serves any number of runs
	@lab/lab start
lab-stop:       ## stop the guest
	@lab/lab stop
install:        ## so that plain stap finds the functions, and PCP's tools pcp/ (prefix, pcpconf, DESTDIR)
	@scripts/install add "$(STAPDATA)" "$(PCPCONF)"
uninstall:      ## take away what install put there
	@scripts/install remove "$(STAPDATA)" "$(PCPCONF)"
install-pmda:   ## build and install the PMDA that shows events; then run its Install
	@$(MAKE) -C pmda OUT=$(CURDIR)/build/pmda install
uninstall-pmda: ## take it away again
	@$(MAKE) -C pmda OUT=$(CURDIR)/build/pmda uninstall
clean:          ## remove what was generated here; the lab stays
	rm -rf build

.PHONY: help demo check bench fuzz soak lab lab-start lab-stop install uninstall install-pmda uninstall-pmda clean
