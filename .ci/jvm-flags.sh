# What the JVM needs to run Verbena, for scripts to source: sets the array jvm_flags. The parent pom says what that is, in
# verbena.jvm.exports and verbena.jvm.opens.
read_jvm_flags() {
  local name value
  jvm_flags=()
  while read -r name value; do
    jvm_flags+=("--add-$name=$value=ALL-UNNAMED")
  done < <(sed -nE 's:^ *<verbena\.jvm\.(exports|opens)>(.*)</.*:\1 \2:p' "$(dirname "${BASH_SOURCE[0]}")/../pom.xml")
  [ ${#jvm_flags[@]} = 2 ] || {
    echo "the parent pom does not say what the JVM needs" >&2
    exit 1
  }
  jvm_flags+=(--enable-native-access=ALL-UNNAMED)
}
read_jvm_flags
