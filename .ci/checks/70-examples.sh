#!/usr/bin/env bash
# The programs of docs/examples, as a user's project: compiled and run against the artifacts alone, installed into a local
# repository that goes with the run. Each looks at what it got, and ends with 1 if that is not right.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.."
root=$PWD
. .ci/jvm-flags.sh
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fail() {
  echo "examples: $*" >&2
  tail -n 60 "$scratch/log" >&2 || true # what failed may have written none
  exit 1
}

# What others publish is taken from, and kept in, the user's repository; of ours nothing is.
users=${MAVEN_LOCAL_REPOSITORY:-$HOME/.m2/repository}
mkdir -p "$users/io" "$scratch/repository/io"
for entry in "$users"/* "$users"/io/*; do
  [ -e "$entry" ] || continue
  case ${entry#"$users"/} in
    io | io/verbena) ;;
    *) ln -s "$entry" "$scratch/repository/${entry#"$users"/}" ;;
  esac
done

# Offline where everything is there, else with what is missing.
maven() {
  mvn -q -B -o -Dmaven.repo.local="$scratch/repository" "$@" >"$scratch/log" 2>&1 \
    || mvn -q -B -Dmaven.repo.local="$scratch/repository" "$@" >"$scratch/log" 2>&1
}

maven install -Dmaven.test.skip -Dspotless.check.skip \
  -pl .,nic-emulation,fabric-netty,framework,framework/bom,framework/linux || fail "the artifacts could not be installed"
rm -f "$scratch/repository/io/verbena/verbena-parent"/*/*.pom # a user has none, and needs none
cp -r docs/examples "$scratch/project"
rm -rf "$scratch/project/target"
cd "$scratch/project"
maven compile || fail "the project does not compile"

classpath="target/classes:target/dependency/*"
count=0
for source in src/main/java/*.java; do
  program=$(basename "$source" .java)
  # Helpers of the others have no public class.
  grep -q "^public final class $program" "$source" || continue
  status=0
  timeout 60 "${JAVA_HOME:+$JAVA_HOME/bin/}java" "${jvm_flags[@]}" \
    -XX:TieredStopAtLevel=1 -Djava.io.tmpdir="$scratch" -cp "$classpath" "$program" >"$scratch/log" 2>&1 || status=$?
  [ "$status" = 0 ] || fail "$program ended with $status"
  ! grep -q 'WRONG' "$scratch/log" || fail "$program found something wrong"
  printf '%-12s %s\n' "$program" "$(grep -v '^\[' "$scratch/log" | tail -n 1)"
  count=$((count + 1))
done
[ $count = 15 ] || fail "$count programs, expected 15"
cd "$root"
