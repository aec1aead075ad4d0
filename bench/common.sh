# Shared by what measures: which program, and which peers.
# shellcheck shell=bash
# shellcheck source=../scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../scripts/common.sh"
# shellcheck source=../scripts/filebrowser.sh
. "$root/scripts/filebrowser.sh"

# product: sets $binary to what ships, the release build, or to the binary that YUNLAB_BIN names.
product() {
  local name
  binary=${YUNLAB_BIN:-}
  for name in $(compgen -e | grep '^YUNLAB_' || true); do unset "$name"; done
  [ -n "$binary" ] && return
  web_pages
  say '构建程序'
  cargo build --release --quiet --locked -p yunlab
  binary=$CARGO_TARGET_DIR/release/yunlab
}

# Peers are built once into the user's cache and used as programs only.
peers=${XDG_CACHE_HOME:-$HOME/.cache}/yunlab/peers
mkdir -p "$peers/bin"

# peer_filebrowser: File Browser from its Go module.
peer_filebrowser() {
  [ -x "$peers/bin/filebrowser" ] && return
  say '构建 File Browser'
  command -v go >/dev/null || fail '缺少 Go，没有它不能构建 File Browser。'
  in_filebrowser build -o "$peers/bin/filebrowser"
}

# peer_filebrowser_pages: the same with its pages.
peer_filebrowser_pages() {
  [ -x "$peers/bin/filebrowser-pages" ] || filebrowser_with_pages "$peers/bin/filebrowser-pages"
}
