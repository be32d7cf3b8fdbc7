#!/usr/bin/env bash
# perftest between two processes over shared memory, Unix-domain sockets and TCP, with every byte that arrives looked at;
# and a server that is killed amid a test is one line and status 1 at the client.
# Runs alone.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.."
scratch=$(mktemp -d)
server=
# The server may have ended by itself.
trap '[ -z "$server" ] || kill "$server" 2>/dev/null || true; rm -rf "$scratch"' EXIT
# A server that is killed leaves its socket behind, which goes with the rest.
export VERBENA_JAVA_OPTS="-XX:TieredStopAtLevel=1 -Djava.io.tmpdir=$scratch"

fail() {
  echo "perftest: $*" >&2
  # Either may have written nothing yet.
  tail -n 20 "$scratch"/server "$scratch"/client >&2 || true
  exit 1
}

./verbena perftest --help >/dev/null # builds the jar if need be

# begin TEST FABRIC OPTIONS...: a server on a free port, which becomes $port.
begin() {
  local tries
  : >"$scratch/server" # before the last one's port is taken for this one's
  timeout 40 ./verbena perftest "$1" --fabric "$2" "${@:3}" -p 0 >"$scratch/server" 2>&1 &
  server=$!
  port=
  for ((tries = 0; tries < 200; tries++)); do
    port=$(sed -n 's/^ Port: //p' "$scratch/server")
    [ -z "$port" ] || return 0
    kill -0 "$server" 2>/dev/null || break
    sleep 0.1
  done
  fail "$1 over $2: the server does not listen"
}

options=(-n 500 -s 1000 --warmup 0.05)
for fabric in shm uds tcp; do
  for test in send_lat append_lat write_bw read_bw; do
    begin "$test" "$fabric" "${options[@]}"
    timeout 40 ./verbena perftest "$test" --fabric "$fabric" "${options[@]}" -p "$port" 127.0.0.1 \
      >"$scratch/client" 2>&1 || fail "$test over $fabric: the client ended with $?"
    wait "$server" || fail "$test over $fabric: the server ended with $?"
    server=
    grep -q 'Data validation : ON' "$scratch/client" || fail "$test over $fabric: the data was not looked at"
    row=$(grep -E '^ 1000 +500 ' "$scratch/client") || fail "$test over $fabric: no row of results"
    printf '%-4s %-11s%s\n' "$fabric" "$test" "$row"
  done
done

begin append_bw shm -D 30
status=0
timeout 40 ./verbena perftest append_bw --fabric shm -D 30 -p "$port" 127.0.0.1 >"$scratch/client" 2>"$scratch/error" &
client=$!
for ((tries = 0; tries < 200; tries++)); do
  ! grep -q '#bytes' "$scratch/client" || break
  sleep 0.1
done
pkill -KILL -P "$server"
wait "$server" 2>/dev/null || true # it was killed: its status says so
server=
wait "$client" || status=$?
[ "$status" = 1 ] || fail "the server was killed, and the client ended with $status"
[ "$(wc -l <"$scratch/error")" = 1 ] || fail "the server was killed, and the client does not say so in one line"
echo "server killed: $(cat "$scratch/error")"
