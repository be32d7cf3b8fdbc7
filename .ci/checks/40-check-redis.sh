#!/usr/bin/env bash
# The integrity load against redis-server, which proves the load itself, and against `verbena serve`: as it comes, with
# four workers, with four shards and in a JVM of 512 MB; on JDK 17 and, where one is installed, on JDK 25. Two at a time.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.."
scratch=$(mktemp -d)
seconds=${CHECK_REDIS_SECONDS:-20}
pids=()
redis=

leave() {
  local status=$? pid
  trap - EXIT
  # Some have ended by themselves, and the status is the check's own.
  for pid in ${pids[@]+"${pids[@]}"} $redis; do kill "$pid" 2>/dev/null || true; done
  for pid in ${pids[@]+"${pids[@]}"} $redis; do wait "$pid" 2>/dev/null || true; done
  rm -rf "$scratch"
  exit "$status"
}
trap leave EXIT
trap 'exit 143' INT TERM

./verbena check redis --help >/dev/null # builds the jar if need be

# begin NAME JAVA_HOME ARGUMENTS...: in the background.
begin() {
  local name=$1 home=$2
  shift 2
  JAVA_HOME=$home timeout --kill-after=10 $((seconds + 150)) \
    ./verbena check redis --seconds "$seconds" --stall 20 "$@" >"$scratch/$name.log" 2>&1 &
  pids+=("$!")
}

# finish NAME: waits for the first that was begun.
finish() {
  local status=0
  wait "${pids[0]}" || status=$?
  pids=("${pids[@]:1}")
  if [ $status != 0 ]; then
    echo "FAILED: $1 (status $status)" >&2
    tail -n 80 "$scratch/$1.log" >&2
    return 1
  fi
  printf '%-20s %s\n' "$1" "$(sed -n 's/^  replies checked *//p' "$scratch/$1.log")"
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
  begin redis-server "$jdk17" --address "127.0.0.1:$port"
  finish redis-server || failed=1
  kill "$redis"
  wait "$redis" || true # its status says that it was ended
  redis=
fi

small=(--server-jvm -Xmx512m --max-data 64m --max-value 16m)
begin default-17 "$jdk17"
begin workers-17 "$jdk17" -- --workers 4
finish default-17 || failed=1
begin shards-17 "$jdk17" -- --shards 4
finish workers-17 || failed=1
begin small-17 "$jdk17" "${small[@]}"
finish shards-17 || failed=1
if [ -n "$jdk25" ]; then
  begin default-25 "$jdk25"
  finish small-17 || failed=1
  begin workers-25 "$jdk25" -- --workers 4
  finish default-25 || failed=1
  begin shards-25 "$jdk25" -- --shards 4
  finish workers-25 || failed=1
  begin small-25 "$jdk25" "${small[@]}"
  finish shards-25 || failed=1
  finish small-25 || failed=1
else
  finish small-17 || failed=1
fi
exit $failed
