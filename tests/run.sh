#!/usr/bin/env bash
# Passes the tests on a fresh machine with Python 3.11: bash tests/run.sh
#
# Makes its own .venv-tests, finds or installs a Chromium, then runs every stage, quick ones first, and ends with the
# exit code of the first that failed: one run tells all that is wrong. With arguments, only pytest runs, with them:
# bash tests/run.sh tests/viz_model -k rope
#
# PYTHON names another interpreter, GLASS_CHROMIUM another browser.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
exec < /dev/null  # whatever would ask gets no answer and goes on

# One thread a process: two cores and spinning threads make each other slow. Large attention is page faults first, so
# freed memory is kept (as glibc reads these numbers, 1 GiB).
export OMP_NUM_THREADS=1 MKL_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
export MALLOC_MMAP_THRESHOLD_=1073741824 MALLOC_TRIM_THRESHOLD_=1073741824
export TOKENIZERS_PARALLELISM=false PIP_DISABLE_PIP_VERSION_CHECK=1
unset PYTHONHASHSEED PYTHONPATH
export CI=${CI:-1}  # hypothesis draws the same examples each time: what passes here passes there (tests/conftest.py)

venv=$PWD/.venv-tests
python=$venv/bin/python

say() { printf '\n== %s\n' "$*"; }

install() {
  local base=${PYTHON:-} candidate wanted
  for candidate in python3.11 python3 python; do
    [ -n "$base" ] && break
    "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2> /dev/null && base=$candidate
  done
  [ -n "$base" ] || { echo "expected Python 3.11 or newer, found none; PYTHON=... names one" >&2; return 1; }
  wanted=$("$base" -c 'import hashlib, sys
print(hashlib.sha256(b"".join(open(name, "rb").read() for name in sys.argv[1:]) + sys.version.encode()).hexdigest())' \
    requirements.txt tests/requirements.txt) || return 1
  if [ "$(cat "$venv/installed" 2> /dev/null)" = "$wanted" ] && "$python" -c '' 2> /dev/null; then
    echo "$venv is as the requirements say"
    return 0
  fi
  rm -rf "$venv"
  "$base" -m venv "$venv" || return 1
  # torch first and by name: where the machine offers a build for the CPU, this takes it, and nothing later changes it.
  "$python" -m pip install --quiet "$(grep '^torch==' requirements.txt)" &&
    "$python" -m pip install --quiet -r requirements.txt -r tests/requirements.txt &&
    echo "$wanted" > "$venv/installed"
}

can_apt() { [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; }

apt_install() {
  # A list that cannot be refreshed may still serve, so only the install itself decides.
  DEBIAN_FRONTEND=noninteractive apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" > /dev/null
}

find_chromium() {
  local name
  for name in ${GLASS_CHROMIUM:+"$GLASS_CHROMIUM"} chromium chromium-browser google-chrome; do
    # Some systems have a stub of that name that only says how to install one: it must really answer.
    if timeout 60 "$name" --version > /dev/null 2>&1; then
      GLASS_CHROMIUM=$(command -v "$name")
      export GLASS_CHROMIUM
      return 0
    fi
  done
  unset GLASS_CHROMIUM
  return 1
}

browser() {
  local missing=()
  if can_apt; then
    [[ $(fc-list 2> /dev/null) == *[Cc]olor*[Ee]moji* ]] || missing+=(fonts-noto-color-emoji)
    [ -n "$(fc-list :lang=zh 2> /dev/null)" ] || missing+=(fonts-noto-cjk)
    find_chromium || missing+=(chromium)
    [ ${#missing[@]} = 0 ] || { echo "installing ${missing[*]}"; apt_install "${missing[@]}"; }
  fi
  find_chromium && { echo "$GLASS_CHROMIUM"; return 0; }
  echo "no Chromium here: installing Playwright's own"
  if can_apt; then
    "$python" -m playwright install --with-deps chromium
  else
    "$python" -m playwright install chromium
  fi
}

failed=0
table=""
stage() {
  local name=$1 began=$SECONDS code
  shift
  say "$name"
  "$@"
  code=$?
  table+=$(printf '%4d s  %-16s %s' $((SECONDS - began)) "$name" "$([ $code = 0 ] && echo passed || echo "failed ($code)")")$'\n'
  [ $failed != 0 ] || failed=$code
  return $code
}

finish() {
  printf '\n%s' "$table"
  exit "$failed"
}

main() {
  stage "environment" install || finish
  if [ $# -gt 0 ]; then
    browser || echo "without a Chromium the browser tests fail" >&2
    stage "pytest" "$python" -m pytest "$@"
    finish
  fi
  stage "ruff check" "$python" -m ruff check .
  stage "ruff format" "$python" -m ruff format --check .
  stage "mypy" "$python" -m mypy
  # The training tests start workers that step back for everybody else: they get a core.
  stage "unit, page tests" "$python" -m pytest -q -n 2 --dist loadfile tests \
    --ignore=tests/browser --ignore=tests/viz_model/training
  stage "training tests" "$python" -m pytest -q tests/viz_model/training
  stage "browser" browser && stage "browser tests" "$python" -m pytest -q -n 2 --dist loadfile tests/browser
  finish
}

main "$@"  # the last line: bash has read all of this file by now, so that it may be edited while it runs
