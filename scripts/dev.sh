# For ./run --dev: the debug build of the product with a lab in it, and Vite, which shows changes of the pages at once.
# shellcheck shell=bash disable=SC2154

dev_usage() {
  cat <<'HELP'
用法：./run --dev [--fresh] [--port 端口]
  --fresh        删除 data-dev，重新建立开发用的实验室
  --port 端口    网页的端口，默认 5173；平台用下一个
  --help         显示这段说明
YUNLAB_LOG_LEVEL 和 YUNLAB_LOG_FORMAT 照常有效，默认只显示警告和错误。
HELP
}

pages_port=5173
lab_options=()
parse_dev() {
  while [ $# -gt 0 ]; do
    case $1 in
      --fresh) lab_options+=(--fresh) ;;
      --port) pages_port=${2:-}; shift ;;
      --port=*) pages_port=${1#*=} ;;
      --help | -h) dev_usage; exit ;;
      *) fail "不认识的参数 $1。可用的有 --fresh、--port 端口、--help。" ;;
    esac
    [[ $pages_port =~ ^[0-9]{1,5}$ ]] && [ "$pages_port" -ge 1 ] && [ "$pages_port" -le 65534 ] || fail '--port 之后要写 1 到 65534 的端口。'
    shift
  done
}

# need_port PORT
need_port() {
  if (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; then
    fail "端口 $1 已被占用。先停止用它的程序，或换一个：./run --dev --port $((pages_port + 100))"
  fi
}

children=()
stop_dev() {
  [ ${#children[@]} -eq 0 ] && return
  kill -TERM "${children[@]}" 2>/dev/null || true
  wait "${children[@]}" 2>/dev/null || true
}

run_dev() {
  parse_dev "$@"
  local address=127.0.0.1:$((pages_port + 1)) pages=http://127.0.0.1:$pages_port name
  need_port "$pages_port"
  need_port "$((pages_port + 1))"
  need_toolchain
  web_modules
  say '构建调试版（首次需要几分钟）'
  # As ./test builds it, so that neither builds anything again: see `packages` in scripts/steps.sh.
  cargo build --quiet --locked --workspace --exclude fuzz --example dev-lab
  # The lab is the same for every developer, except for its log.
  for name in $(compgen -e | grep '^YUNLAB_' | grep -v '^YUNLAB_LOG_' || true); do unset "$name"; done
  trap stop_dev EXIT
  trap exit INT TERM
  say '启动平台和网页，按 Ctrl-C 一起停止'
  "$CARGO_TARGET_DIR/debug/examples/dev-lab" --listen "$address" --data-dir data-dev --pages "$pages" "${lab_options[@]}" &
  children+=("$!")
  (cd web && YUNLAB_DEV_SERVER=http://$address exec node node_modules/vite/bin/vite.js \
    --host 127.0.0.1 --port "$pages_port" --strictPort --clearScreen false --logLevel warn) &
  children+=("$!")
  # Neither is of use without the other.
  wait -n
}
