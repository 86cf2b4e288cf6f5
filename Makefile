# Every target sets up what it needs, from a bare Debian or Ubuntu with git, make and Python 3.11+.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
TEST_PACKAGES := openssh-server
SUDO := $(shell [ "$$(id -u)" = 0 ] || echo sudo)
STAMP := $(VENV)/.installed

.PHONY: setup accept test check bench fuzz lab-packages clean

setup: $(STAMP)

$(STAMP): requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	    || { echo "Python 3.11 or newer is needed: make PYTHON=python3.11 setup"; exit 1; }
	@$(PYTHON) -m venv $(VENV) 2>/dev/null || { \
	    $(SUDO) apt-get -qq update && $(SUDO) apt-get -qq install -y python3-venv; \
	    $(PYTHON) -m venv --clear $(VENV); }
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes \
	    -r requirements.lock
	@touch $@

# The packages that the labs and their tests need on this machine; nothing is done where all exist.
lab-packages:
	@missing=$$(for p in $(TEST_PACKAGES) $$(sed -n '/^\[host\]/,/^\[/{/^[a-z]/p}' lab/softroce/packages.txt); do \
	    dpkg-query -W -f='$${Status}' $$p 2>/dev/null | grep -q 'ok installed' || echo $$p; done); \
	if [ -n "$$missing" ]; then \
	    echo "installing for the labs:" $$missing; \
	    $(SUDO) apt-get -qq update && \
	    DEBIAN_FRONTEND=noninteractive $(SUDO) apt-get -qq install -y --no-install-recommends $$missing \
	        > /dev/null; fi

# The product on its virtual NVL576: nothing is measured but the suite itself.
accept: setup
	$(BIN)/python -m pytest -m nvl576 --inventory rack42

check: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

test: setup lab-packages
	$(BIN)/python -m pytest tests

bench: setup lab-packages
	$(BIN)/python -m benchmarks

# Coverage-guided fuzzing of every reader; a crash is kept in reports/out/fuzz.
FUZZ_SECONDS ?= 20
fuzz: setup
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes \
	    -r requirements-fuzz.lock
	$(BIN)/python -m tests.tools.fuzz --seconds $(FUZZ_SECONDS)

clean:
	rm -rf $(VENV) reports/out .mypy_cache .ruff_cache .pytest_cache .hypothesis
