# Shared by ./run and ./test: paths of builds, required tools, building the web pages.
# shellcheck shell=bash

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# One target folder for all checkouts, so that a fresh clone starts warm.
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/yunlab/target}

say() { printf '\033[1m== %s\033[0m\n' "$*" >&2; }
fail() { printf '\n%s\n' "$*" >&2; exit 1; }

at_least() { [ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n 1)" = "$2" ]; }

# need_packages PACKAGE…: installs Debian packages that are missing, or names them.
need_packages() {
  local missing=() package
  for package in "$@"; do
    [ "$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null)" = 'install ok installed' ] || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return
  command -v apt-get >/dev/null || fail "缺少（Debian 里的名称）：${missing[*]}。请用本机的包管理器安装。"
  if [ "$(id -u)" -ne 0 ]; then
    fail "缺少软件包：${missing[*]}。请运行：sudo apt-get install ${missing[*]}"
  fi
  say "安装 ${missing[*]}"
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

need_toolchain() {
  command -v cc >/dev/null || need_packages build-essential
  command -v cargo >/dev/null || fail '缺少 Rust（1.95 或更新）。请按 rustup 的说明安装。'
  at_least "$(rustc --version | cut -d ' ' -f 2)" 1.95.0 || fail 'Rust 版本过旧，需要 1.95 或更新。请运行：rustup update'
  command -v node >/dev/null && command -v npm >/dev/null || fail '缺少 Node.js（20.19 或更新）和 npm。'
  at_least "$(node --version | tr -d v)" 20.19.0 || fail 'Node.js 版本过旧，需要 20.19 或更新。'
}

# Each step writes a stamp of its sources, and does nothing while it matches.
web_modules() {
  local stamp
  stamp=$(sha256sum "$root/web/package-lock.json" | cut -d ' ' -f 1)
  if [ "$(cat "$root/web/node_modules/.stamp" 2>/dev/null)" != "$stamp" ]; then
    say '安装网页的依赖'
    (cd "$root/web" && npm ci --no-audit --no-fund --silent)
    echo "$stamp" > "$root/web/node_modules/.stamp"
  fi
  web_types
}

# web_types: makes the TypeScript types of the API documents, which compiler and editor need and git does not have.
web_types() {
  local stamp types=$root/web/src/shared/api
  stamp=$(cd "$root" && sha256sum web/package-lock.json openapi/*.json | sha256sum | cut -d ' ' -f 1)
  [ -f "$types/portal.d.ts" ] && [ "$(tail -n 1 "$types/disk.d.ts" 2>/dev/null)" = "// $stamp" ] && return
  npm --prefix "$root/web" run --silent types >/dev/null
  echo "// $stamp" >> "$types/disk.d.ts"
}

# web_pages: builds the pages. Release builds of the program embed them, and see by PAGES_STAMP that they have changed.
web_pages() {
  local stamp
  # The crates are in the list of third-party licences. Types change nothing, and may be made after this.
  stamp=$(cd "$root/web" && find index.html package-lock.json vite.config.ts tsconfig.json scripts public src ../openapi ../Cargo.lock ../crates/*/Cargo.toml -type f ! -name '*.d.ts' -print0 |
    sort -z | xargs -0 sha256sum | sha256sum | cut -d ' ' -f 1)
  export PAGES_STAMP=$stamp
  [ "$(cat "$root/web/dist/.stamp" 2>/dev/null)" = "$stamp" ] && return
  web_modules
  say '构建网页'
  (cd "$root/web" && npm run --silent build >/dev/null)
  echo "$stamp" > "$root/web/dist/.stamp"
}
