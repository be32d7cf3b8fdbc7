#!/usr/bin/env bash
# A short run of one append queue against its model, seeds that no unit test walks; and a seed that is walked again is the
# same walk.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

./verbena simulate append --seeds 400 --from 5172 >"$scratch/run" 2>&1 || {
  tail -n 40 "$scratch/run" >&2
  exit 1
}
grep -E 'walks|messages taken|holes closed|given back' "$scratch/run"

for name in first again; do
  ./verbena simulate append --seed 5200 --trace "$scratch/$name" >"$scratch/run" 2>&1 || {
    tail -n 40 "$scratch/run" >&2
    exit 1
  }
done
cmp "$scratch/first" "$scratch/again" || {
  echo "append run: seed 5200 is another walk the second time" >&2
  exit 1
}
