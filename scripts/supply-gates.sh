# Tests that cargo-deny refuses what deny.toml forbids: each check on a workspace made for it. For ./test.
# shellcheck shell=bash disable=SC2154

check_gates() (
  place=$(mktemp -d)
  trap 'rm -rf "$place"' EXIT
  cd "$place"
  gate licence rejected licenses
  gate no_licence unlicensed licenses
  gate git source-not-allowed sources
  gate two_versions duplicate bans
  gate banned banned bans
  advisory_gate
)

# gate NAME CODE CHECK: the workspace that make_NAME makes is refused, and for this reason.
gate() {
  package "$1" MIT
  "make_$1"
  # Keeps cargo's cache of git repositories unchanged.
  CARGO_HOME=$place/cargo refuses "$2" "$deny" --manifest-path "$1/Cargo.toml" --config "$root/deny.toml" check "$3"
}

# refuses CODE COMMAND…
refuses() {
  local code=$1 output status=0
  shift
  output=$("$@" 2>&1) || status=$?
  if [ "$status" -eq 0 ] || ! grep -qF "error[$code]" <<<"$output"; then
    printf '%s\n没有按 %s 拒绝：%s\n' "$output" "$code" "$*" >&2
    return 1
  fi
}

# package FOLDER LICENCE [VERSION [NAME]]
package() {
  mkdir -p "$1/src"
  : > "$1/src/lib.rs"
  printf '[package]\nname = "%s"\nversion = "%s"\nedition = "2024"\nlicense = "%s"\n' \
    "${4:-$(basename "$1")}" "${3:-1.0.0}" "$2" > "$1/Cargo.toml"
}

depend() { printf '[dependencies]\n%s\n' "$2" >> "$1/Cargo.toml"; }

make_licence() {
  package licence/copyleft GPL-3.0-only
  depend licence 'copyleft = { path = "copyleft" }'
}

make_no_licence() {
  package no_licence/silent MIT
  sed -i '/^license/d' no_licence/silent/Cargo.toml
  depend no_licence 'silent = { path = "silent" }'
}

make_git() {
  package elsewhere MIT
  git -C elsewhere init --quiet
  git -C elsewhere add .
  git -C elsewhere -c user.name=test -c user.email=test@lab.test commit --quiet --message first
  depend git "elsewhere = { git = \"file://$PWD/elsewhere\" }"
}

make_two_versions() {
  package two_versions/first MIT 1.0.0 twice
  package two_versions/second MIT 2.0.0 twice
  depend two_versions 'one = { path = "first", package = "twice" }
two = { path = "second", package = "twice" }'
}

make_banned() {
  package banned/openssl MIT 1.0.0 openssl-sys
  depend banned 'openssl-sys = { path = "openssl" }'
}

# Our own crates, with a database in which one of them has a flaw.
advisory_gate() {
  mkdir -p advisories/crates/serde
  cat > advisories/crates/serde/RUSTSEC-2026-9999.md <<'ADVISORY'
```toml
[advisory]
id = "RUSTSEC-2026-9999"
package = "serde"
date = "2026-01-01"

[versions]
patched = []
```

# A flaw that is not there

It is made up by the tests.
ADVISORY
  git -C advisories init --quiet
  git -C advisories add .
  git -C advisories -c user.name=test -c user.email=test@lab.test commit --quiet --message first
  refuses vulnerability check_advisories advisories
}
