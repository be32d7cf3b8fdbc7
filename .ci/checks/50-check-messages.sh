#!/usr/bin/env bash
# Integrity of messages: all fabrics, modes and loads for 30 s, with hubs in processes of their own that are killed; a seed
# that is named is taken; what is out of range is refused in one line.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# Sockets of processes that are killed stay behind, and go with the rest.
export VERBENA_JAVA_OPTS="${VERBENA_JAVA_OPTS:-} -Djava.io.tmpdir=$scratch"

fail() {
  echo "check messages: $*" >&2
  tail -n 200 "$scratch/run" >&2
  exit 1
}

seed=${CI_SEED:-$(date +%s)}
timeout 300 ./verbena check messages --seconds 30 --seed "$seed" >"$scratch/run" 2>&1 || fail "seed $seed ended with $?"
grep -q "^seed $seed$" "$scratch/run" || fail "the seed is not named"
grep -q "nothing was wrong" "$scratch/run" || fail "the end is not named"
cat "$scratch/run"

status=0
timeout 60 ./verbena check messages --threads 0 >"$scratch/run" 2>&1 || status=$?
[ "$status" = 2 ] || fail "--threads 0 ended with $status"
grep -q 'threads 0 outside' "$scratch/run" || fail "--threads 0 is not explained"
