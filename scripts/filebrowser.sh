# File Browser, the program that the network disk succeeds: built once from its Go module into the user's cache, for the
# bench and for the tests that drive its pages over the product.
# shellcheck shell=bash disable=SC2154

filebrowser_home=${XDG_CACHE_HOME:-$HOME/.cache}/yunlab/filebrowser
filebrowser_module=github.com/filebrowser/filebrowser/v2
filebrowser_newest=$root/bench/disk/filebrowser

# filebrowser_pages: builds its pages into $filebrowser_home/pages, unless those of the version in go.mod exist. The Go
# module contains only their sources.
filebrowser_pages() {
  local version
  command -v go >/dev/null || fail '缺少 Go，没有它不能取得 File Browser。'
  version=$(in_filebrowser list -m -f '{{.Version}}')
  [ "$(cat "$filebrowser_home/pages/.version" 2>/dev/null)" = "$version" ] && return
  say "构建 File Browser $version 的网页"
  filebrowser_sources
  # It requires newer tools than it needs.
  (
    cd "$filebrowser_home/source/frontend"
    npm pkg delete packageManager engines
    npx --yes pnpm@10 install --frozen-lockfile --silent
    npx vite build --logLevel error
  ) >&2
  rm -rf "$filebrowser_home/pages"
  # Written last, so that an interrupted build is repeated.
  echo "$version" > "$filebrowser_home/source/frontend/dist/.version"
  mv "$filebrowser_home/source/frontend/dist" "$filebrowser_home/pages"
  rm -rf "$filebrowser_home/source"
}

# filebrowser_older_pages: the same for the version in tests/clients/filebrowser, into $filebrowser_home/pages-older.
filebrowser_older_pages() {
  local version older=$root/tests/clients/filebrowser
  command -v go >/dev/null || fail '缺少 Go，没有它不能取得 File Browser。'
  version=$(in_filebrowser_of "$older" list -m -f '{{.Version}}')
  [ "$(cat "$filebrowser_home/pages-older/.version" 2>/dev/null)" = "$version" ] && return
  say "构建 File Browser $version 的网页"
  filebrowser_sources "$older"
  # Its tools are of the time when OpenSSL still had the digests that they use.
  (
    cd "$filebrowser_home/source/frontend"
    npm ci --silent --no-audit --no-fund --ignore-scripts
    NODE_OPTIONS=--openssl-legacy-provider npx vue-cli-service build --no-clean --silent
  ) >&2
  rm -rf "$filebrowser_home/pages-older"
  echo "$version" > "$filebrowser_home/source/frontend/dist/.version"
  mv "$filebrowser_home/source/frontend/dist" "$filebrowser_home/pages-older"
  rm -rf "$filebrowser_home/source"
}

# filebrowser_program: builds it without pages as $filebrowser_home/program, unless that of the version in go.mod
# exists.
filebrowser_program() {
  local version
  command -v go >/dev/null || fail '缺少 Go，没有它不能取得 File Browser。'
  version=$(in_filebrowser list -m -f '{{.Version}}')
  [ "$(cat "$filebrowser_home/program.version" 2>/dev/null)" = "$version" ] && return
  say "构建 File Browser $version"
  mkdir -p "$filebrowser_home"
  in_filebrowser build -o "$filebrowser_home/program"
  echo "$version" > "$filebrowser_home/program.version"
}

# filebrowser_with_pages PROGRAM: builds the program with the pages in it.
filebrowser_with_pages() {
  filebrowser_pages
  say '构建带网页的 File Browser'
  filebrowser_sources
  cp -r "$filebrowser_home/pages/." "$filebrowser_home/source/frontend/dist"
  go -C "$filebrowser_home/source" build -o "$1" .
  rm -rf "$filebrowser_home/source"
}

# filebrowser_sources [FOLDER]: its sources, of the version that the go.mod in FOLDER names, in a folder that can be
# written to.
filebrowser_sources() {
  local folder=${1:-$filebrowser_newest}
  in_filebrowser_of "$folder" mod download
  rm -rf "$filebrowser_home/source"
  mkdir -p "$filebrowser_home"
  cp -r "$(in_filebrowser_of "$folder" list -m -f '{{.Dir}}')" "$filebrowser_home/source"
  chmod -R u+w "$filebrowser_home/source"
}

# in_filebrowser COMMAND…: a command of go for the module, as bench/disk/filebrowser/go.mod names it.
in_filebrowser() { in_filebrowser_of "$filebrowser_newest" "$@"; }

# in_filebrowser_of FOLDER COMMAND…: the same, as the go.mod in FOLDER names it.
in_filebrowser_of() {
  local folder=$1
  shift
  GOFLAGS=-mod=mod go -C "$folder" "$@" "$filebrowser_module"
}
