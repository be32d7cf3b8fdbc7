#!/usr/bin/env bash
# The integrity load against redis-server, which proves the load itself, and against `verbena serve`: as it comes, with
# four workers, with four shards and in a JVM of 512 MB. Where a JDK 25 is installed, there too: with four of both, and in
# a JVM of 512 MB. One at a time: other things run beside this.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.."
scratch=$(mktemp -d)
seconds=${CHECK_REDIS_SECONDS:-20}
pid=
redis=

leave() {
  local status=$? each
  trap - EXIT
  # Some have ended by themselves, and the status is the check's own.
  for each in $pid $redis; do kill "$each" 2>/dev/null || true; done
  for each in $pid $redis; do wait "$each" 2>/dev/null || true; done
  rm -rf "$scratch"
  exit "$status"
}
trap leave EXIT
trap 'exit 143' INT TERM

./verbena check redis --help >/dev/null # builds the jar if need be

# check NAME JAVA_HOME ARGUMENTS...
check() {
  local name=$1 home=$2 status=0
  shift 2
  # In the background, so that a signal ends it at once.
  JAVA_HOME=$home timeout --kill-after=10 $((seconds + 150)) \
    ./verbena check redis --seconds "$seconds" --stall 20 "$@" >"$scratch/$name.log" 2>&1 &
  pid=$!
  wait "$pid" || status=$?
  pid=
  if [ $status != 0 ]; then
    echo "FAILED: $name (status $status)" >&2
    tail -n 80 "$scratch/$name.log" >&2
    return 1
  fi
  printf '%-20s %s\n' "$name" "$(sed -n 's/^  replies checked *//p' "$scratch/$name.log")"
}

# The home of a JDK 25: the JDK at hand, or one of the installed.
find_jdk25() {
  local home
  for home in "${JAVA_HOME:-}" /usr/lib/jvm/*25*; do
    if [ -x "$home/bin/java" ] && grep -q '^JAVA_VERSION="25[".]' "$home/release" 2>/dev/null; then
      echo "$home"
      return
    fi
  done
}

jdk17=${JAVA_HOME:-$(dirname "$(dirname "$(readlink -f "$(command -v java)")")")}
jdk25=$(find_jdk25)

failed=0
if command -v redis-server >/dev/null; then
  for port in $(seq 17480 17499); do
    redis-server --port "$port" --bind 127.0.0.1 --save '' --dir "$scratch" >"$scratch/redis.log" 2>&1 &
    redis=$!
    for _ in $(seq 50); do
      kill -0 $redis 2>/dev/null || break
      ! grep -q 'Ready to accept' "$scratch/redis.log" || break 2
      sleep 0.1
    done
    kill $redis 2>/dev/null || true # it may have ended: its port was taken
  done
  check redis-server "$jdk17" --address "127.0.0.1:$port" || failed=1
  kill "$redis"
  wait "$redis" || true # its status says that it was ended
  redis=
fi

tenants=(--users default,gold,tin)
weights=(--tenant gold:weight=5 --tenant tin)
small=(--server-jvm -Xmx512m --max-data 64m --max-value 16m)
check "default-17" "$jdk17" || failed=1
check "workers-17" "$jdk17" "${tenants[@]}" -- --workers 4 "${weights[@]}" || failed=1
check "shards-17" "$jdk17" -- --shards 4 || failed=1
check "small-17" "$jdk17" "${small[@]}" || failed=1
if [ -n "$jdk25" ]; then
  check "workers-shards-25" "$jdk25" "${tenants[@]}" -- --workers 4 --shards 4 "${weights[@]}" || failed=1
  check "small-25" "$jdk25" "${small[@]}" || failed=1
fi
exit $failed
