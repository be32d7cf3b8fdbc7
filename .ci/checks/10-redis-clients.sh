#!/usr/bin/env bash
# Stock Redis programs against `verbena serve`: redis-benchmark's default run with and without pipelining, redis-cli in
# the ways people use it, and a script of commands whose every reply is compared with a real redis-server's.
set -euo pipefail
root=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.." && pwd)
scratch=$(mktemp -d)
pids=()

leave() {
  local status=$? pid
  trap - EXIT
  # Some have ended by themselves, there may be no logs yet, and the status is the check's own.
  for pid in ${pids[@]+"${pids[@]}"}; do kill "$pid" 2>/dev/null || true; done # some have ended
  for pid in ${pids[@]+"${pids[@]}"}; do wait "$pid" 2>/dev/null || true; done # killed: their status says so
  [ $status = 0 ] || tail -n 50 "$scratch"/*.log >&2 || true # there may be no log yet
  rm -rf "$scratch"
  exit "$status"
}
trap leave EXIT
trap 'exit 143' INT TERM

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

for tool in redis-cli redis-benchmark redis-server; do
  command -v $tool >/dev/null || { echo "$tool is not installed"; exit 77; }
done

# await NAME SECONDS COMMAND...: until the command succeeds.
await() {
  local name=$1 end=$((SECONDS + $2))
  shift 2
  until "$@" >/dev/null 2>&1; do
    [ $SECONDS -lt $end ] || fail "$name: not within its time"
    sleep 0.2
  done
}

"$root/verbena" serve --port 0 --tenant gold:weight=3,password=secret >"$scratch/verbena.log" 2>&1 &
serve=$!
pids+=("$serve")
await "verbena serve" 300 grep -q 'ready on' "$scratch/verbena.log"
port=$(sed -n 's/.*ready on 127\.0\.0\.1:\([0-9]*\).*/\1/p' "$scratch/verbena.log")

redis_port=
for candidate in $(seq 17379 17399); do
  redis-server --port "$candidate" --bind 127.0.0.1 --save '' --dir "$scratch" >"$scratch/redis.log" 2>&1 &
  redis=$!
  for _ in $(seq 50); do
    kill -0 $redis 2>/dev/null || break
    if redis-cli -p "$candidate" info server 2>/dev/null | grep -q "process_id:$redis"; then
      redis_port=$candidate
      break
    fi
    sleep 0.1
  done
  [ -z "$redis_port" ] || break
  kill $redis 2>/dev/null || true # it may have ended: its port was taken
done
[ -n "$redis_port" ] || fail "redis-server found no port"
pids+=("$redis")
cli=(redis-cli -p "$port")

echo "-- redis-benchmark, all default tests"
for pipeline in 1 16; do
  redis-benchmark -p "$port" -P $pipeline -n 20000 -q >"$scratch/benchmark.log" 2>&1 || fail "redis-benchmark -P $pipeline: status $?"
  tr '\r' '\n' <"$scratch/benchmark.log" >"$scratch/benchmark.txt"
  ! grep -iE 'error|warning|could not' "$scratch/benchmark.txt" || fail "redis-benchmark -P $pipeline complains"
  [ "$(grep -c 'requests per second' "$scratch/benchmark.txt")" = 20 ] || fail "redis-benchmark -P $pipeline: not 20 results"
done

echo "-- redis-cli: a script of commands, each reply as redis-server's"
script=$root/apps/redis-proxy/src/test/resources/io/verbena/redis/script.txt
# What is compared exactly; what would change the conversation itself is left to the tests of the module.
grep -vE '^(#|~|$)|^(quit|reset|client|hello|auth|monitor|subscribe|psubscribe|multi|exec|discard|watch|unwatch|config|info|shutdown)' \
  "$script" >"$scratch/script.txt"
[ "$(wc -l <"$scratch/script.txt")" -gt 300 ] || fail "the script has too few commands"
for protocol in -2 -3; do
  for side in "$port" "$redis_port"; do
    redis-cli -p "$side" flushall >/dev/null
    redis-cli -p "$side" $protocol --no-raw <"$scratch/script.txt" >"$scratch/replies-$side.txt" 2>&1
  done
  diff "$scratch/replies-$redis_port.txt" "$scratch/replies-$port.txt" >&2 || fail "redis-cli $protocol: replies differ (< redis-server, > verbena)"
done

echo "-- redis-cli: interactive use"
[ "$(printf 'set greeting "hello world"\nget greeting\nnosuchcommand\nincr counter\n' | "${cli[@]}")" = "$(
  printf 'OK\nhello world\nERR unknown command '"'nosuchcommand'"', with args beginning with: \n\n1')" ] || fail "interactive redis-cli"
[ "$("${cli[@]}" -3 --no-raw hset map field value)" = '(integer) 1' ] || fail "redis-cli -3 hset"
[ "$("${cli[@]}" -3 --no-raw hgetall map)" = '1# "field" => "value"' ] || fail "redis-cli -3 hgetall"
head -c 1000000 /dev/urandom >"$scratch/blob"
"${cli[@]}" -x set blob <"$scratch/blob" >/dev/null
"${cli[@]}" --raw get blob | head -c 1000000 | cmp - "$scratch/blob" || fail "redis-cli -x"

echo "-- redis-cli: a tenant"
gold=(redis-cli -p "$port" --user gold --pass secret --no-auth-warning)
[[ $("${gold[@]}" client info) == *" user=gold "* ]] || fail "redis-cli --user gold"
[[ $("${gold[@]}" info tenants) == *"tenant_gold:weight=3,clients=1,"* ]] || fail "info tenants"
[[ $(redis-cli -p "$port" --user gold --pass wrong --no-auth-warning ping 2>&1) == *WRONGPASS* ]] || fail "a wrong password"
redis-benchmark -p "$port" --user gold -a secret -P 16 -n 20000 -q -t set,get >"$scratch/gold.log" 2>&1 || fail "redis-benchmark --user gold"

echo "-- redis-cli --pipe, --bigkeys, --scan, --stat"
"${cli[@]}" flushall >/dev/null
for i in $(seq 20000); do
  printf '*3\r\n$3\r\nSET\r\n$%d\r\nkey%s\r\n$%d\r\nvalue%s\r\n' $((3 + ${#i})) "$i" $((5 + ${#i})) "$i"
done >"$scratch/mass"
"${cli[@]}" --pipe <"$scratch/mass" >"$scratch/pipe.log" 2>&1 || fail "redis-cli --pipe: status $?"
grep -q 'errors: 0, replies: 20000' "$scratch/pipe.log" || fail "redis-cli --pipe"
[ "$("${cli[@]}" dbsize)" = 20000 ] || fail "dbsize after --pipe"
[ "$("${cli[@]}" get key12345)" = value12345 ] || fail "get after --pipe"
[ "$("${cli[@]}" --scan | sort -u | wc -l)" = 20000 ] || fail "redis-cli --scan"
"${cli[@]}" rpush list a b c d e >/dev/null
"${cli[@]}" --bigkeys >"$scratch/bigkeys.log" 2>&1 || fail "redis-cli --bigkeys: status $?"
grep -q 'Biggest   list found .*has 5 items' "$scratch/bigkeys.log" || fail "redis-cli --bigkeys"
grep -q '20000 strings with' "$scratch/bigkeys.log" || fail "redis-cli --bigkeys: strings"
# --stat has no end of its own: what it printed until then is looked at.
timeout 60 stdbuf -oL "${cli[@]}" --stat -i 1 >"$scratch/stat.log" 2>&1 &
stat=$!
for _ in $(seq 500); do
  ! grep -qE '^20001 ' "$scratch/stat.log" || break
  sleep 0.1
done
kill "$stat" 2>/dev/null || true # its own time may have ended it
wait "$stat" || true              # it was killed: its status says so
grep -qE '^20001 +[0-9.]+[KMG]? ' "$scratch/stat.log" || fail "redis-cli --stat"

echo "-- garbage closes its own connection alone"
for garbage in '*1\r\n$-5\r\n' '*1\r\n$99999999999\r\n' '*2147483648\r\n' '*1\r\n:1\r\n'; do
  # The proxy closes the connection, at which the client may end in an error; the answer is what is looked at.
  # shellcheck disable=SC2059
  answer=$( (printf "$garbage"; sleep 0.3) | timeout 60 bash -c "exec 3<>/dev/tcp/127.0.0.1/$port; cat >&3; head -c 200 <&3" || true)
  case $answer in -ERR*) ;; *) fail "no error for $garbage: '$answer'" ;; esac
done
# Random bytes may end in a reset at any point; what counts is who is served afterwards.
timeout 5 bash -c "exec 3<>/dev/tcp/127.0.0.1/$port; head -c 100000 /dev/urandom >&3; cat <&3 >/dev/null" 2>/dev/null || true
[ "$("${cli[@]}" get key1)" = value1 ] || fail "others are not served after garbage"

echo "-- it ends on SIGTERM"
kill -TERM "$serve"
for _ in $(seq 600); do
  kill -0 "$serve" 2>/dev/null || break
  sleep 0.1
done
! kill -0 "$serve" 2>/dev/null || fail "verbena serve goes on after SIGTERM"
! grep -E ' ERROR |Exception' "$scratch/verbena.log" || fail "verbena serve logged errors"
echo "all as with redis-server"
