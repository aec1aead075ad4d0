# For ./test: the steps, and their requirements. Each is a function step_NAME that fails on a fault.
# shellcheck shell=bash disable=SC2034,SC2154

# shellcheck source-path=SCRIPTDIR
. scripts/filebrowser.sh
# shellcheck source-path=SCRIPTDIR
. scripts/supply.sh
# shellcheck source-path=SCRIPTDIR
. scripts/supply-gates.sh

steps=(
  'format|Rust 的格式'
  'clippy|Rust 的规则'
  'supply|供应链：许可证、来源、重复的版本、安全公告'
  'web-lint|网页：格式与规则'
  'coverage|规格与测试的对照'
  'web-types|网页：类型'
  'web-unit|网页：单元测试'
  'build|构建'
  'source|代码：分层、用词、提交前的检查'
  'unit|Rust：各部分自己的测试'
  'portal|Rust：平台接口（SQLite）'
  'postgres|Rust：与数据库有关的测试（PostgreSQL）'
  'program|Rust：从外部使用真实的程序'
  'timeouts|Rust：等真实的程序超时'
  'clients|别人写的客户端'
  'engines|Rust：真实的容器引擎'
  'kubernetes|Rust：真实的 Kubernetes 集群'
  'e2e|浏览器测试'
  'e2e-engines|浏览器测试：容器引擎'
  'long|时间长的测试：固定时长的循环、多次强制结束、等到超时'
)
fast_steps='format clippy web-types web-unit source unit portal'

# Always all packages at once: another selection changes the features of dependencies, which are then rebuilt. The
# disk's tests run the fuzz targets' corpora.
packages=(--quiet --locked --workspace --exclude fuzz)

step_format() { cargo fmt --all --check; }
step_clippy() { cargo clippy --quiet --locked --workspace --all-targets -- -D warnings; }
step_supply() { check_supply; check_gates; }
step_web-lint() { npm --prefix web run --silent lint; }
step_coverage() { scripts/spec-coverage --check; }
step_web-types() { npm --prefix web run --silent typecheck; }
step_web-unit() { npm --prefix web run --silent test; }

step_build() {
  local targets=(--all-targets)
  if [ -n "$fast" ]; then targets=(--lib --bins --test source --test portal --test database --test jobs); fi
  cargo build "${packages[@]}" "${targets[@]}"
  scripts/test-binaries "${packages[@]}" "${targets[@]}" > "$work/binaries"
}

# Threads for tests that wait for databases, programs and timers much of their time.
threads=$((2 * $(nproc)))

step_source() { run_binary tests/source; }

# The tests without a step of their own.
step_unit() {
  local name
  for name in $(cut -f 1 "$work/binaries" | grep -vxE 'portal/portal|tests/(source|it|clients)|engine/(engines|kubernetes)'); do
    RUST_TEST_THREADS=$threads run_binary "$name"
  done
}

step_portal() { RUST_TEST_THREADS=$threads run_binary portal/portal; }

# Tests that use the server of TEST_DATABASE_URL (tests/ does only where TEST_POSTGRES_URL is not set): the portal's,
# db-kit's, and the disk's through its harness, of which only those are repeated that concern its tables.
step_postgres() {
  export TEST_DATABASE_URL=$database RUST_TEST_THREADS=$threads
  run_binary db-kit/database
  run_binary background/jobs
  run_binary portal/portal
  run_binary disk/lib "${disk_tables[@]}"
}
disk_tables=(tests::shares tests::trash tests::users tests::settings)

step_program() { RUST_TEST_THREADS=$threads run_binary tests/it --skip slow::; }
step_timeouts() { run_binary tests/it slow::; }
step_clients() { run_binary tests/clients --nocapture; }
step_engines() { run_binary engine/engines; }
# Pods ask for cores, so that more tests at once would only wait for each other.
step_kubernetes() {
  TEST_CLUSTER_PROGRAMS=$(scripts/cluster-tools)
  export TEST_CLUSTER_PROGRAMS
  RUST_TEST_THREADS=3 run_binary engine/kubernetes
}
# Together with the long tests, those of the browser run in full size.
step_e2e() {
  if is_chosen long; then export E2E_ALL=1; fi
  within_own_network npm --prefix web run --silent e2e
}
step_e2e-engines() { npm --prefix web run --silent e2e:engines; }

# within_own_network COMMAND…: with a loopback of its own. Container engines create and remove bridges, and on each
# change Chromium cancels all requests (ERR_NETWORK_CHANGED). Only root starts engines.
within_own_network() {
  if [ "$(id -u)" -ne 0 ]; then "$@"; return; fi
  unshare --net -- sh -c 'ip link set lo up && exec "$@"' sh "$@"
}

# Tests marked `#[ignore = "long: …"]`, with the duration of each, which the runner prints only with this variable.
step_long() {
  local name
  filebrowser_program
  export TEST_FILEBROWSER=$filebrowser_home/program
  for name in $(cut -f 1 "$work/binaries"); do
    RUSTC_BOOTSTRAP=1 run_binary "$name" --ignored -Z unstable-options --report-time --format pretty
  done
  filebrowser_pages
  filebrowser_older_pages
  within_own_network npm --prefix web run --silent e2e:clients
}

# run_binary NAME [ARGUMENT…]: the tests of one binary, in the folder where cargo would run them. Not with cargo
# nextest, which starts a process for each test: the portal's tests share the validators of the API document, which each
# process would create again.
run_binary() {
  local name=$1 folder executable
  IFS=$'\t' read -r name folder executable < <(grep "^$name"$'\t' "$work/binaries") || fail "没有测试程序 $1"
  shift
  echo "$name"
  (cd "$folder" && "$executable" --quiet "$@")
}

# prepare: prepares the external requirements of the chosen steps.
prepare() {
  local name
  # Removes settings of the environment: the tests set the product's settings themselves.
  for name in TEST_CLIENTS TEST_DATABASE_URL TEST_POSTGRES_URL $(compgen -e | grep '^YUNLAB_' || true); do unset "$name"; done
  # The fuzz targets link libFuzzer.
  command -v c++ >/dev/null || need_packages build-essential
  local debian=() with_postgres=
  for name in "${chosen[@]}"; do
    case $name in
      supply) debian+=(git python3) ;;
      unit | portal) debian+=(ffmpeg slapd ldap-utils python3-aiosmtpd litmus rclone curl python3 bubblewrap) ;;
      postgres) debian+=(ffmpeg slapd ldap-utils python3-aiosmtpd) with_postgres=1 ;;
      program | timeouts) debian+=("${outside[@]}") with_postgres=1 ;;
      long) debian+=("${outside[@]}" debootstrap docker-compose python3-venv qemu-system-x86 qemu-utils chromium-headless-shell fonts-noto-cjk) with_postgres=1 ;;
      clients) debian+=("${outside[@]}") with_postgres=1 ;;
      engines) debian+=(docker.io busybox-static docker-registry e2fsprogs iproute2 nftables xfsprogs) ;;
      kubernetes) debian+=("${cluster_packages[@]}") ;;
      e2e*) debian+=("${outside[@]}" chromium-headless-shell fonts-noto-cjk) ;;
    esac
  done
  [ -n "$with_postgres" ] && debian+=(postgresql-15)
  if [ ${#debian[@]} -gt 0 ]; then
    mapfile -t debian < <(printf '%s\n' "${debian[@]}" | sort -u)
    need_packages "${debian[@]}"
  fi
  for name in "${chosen[@]}"; do
    case $name in
      web-* | e2e* | long) web_modules ;;
      build) web_pages ;;
    esac
  done
  if is_chosen long; then
    TEST_CLIENTS=$(scripts/clients.sh --all)
  elif is_chosen clients; then
    TEST_CLIENTS=$(scripts/clients.sh)
  fi
  export TEST_CLIENTS
  # Its first build takes minutes, in which other steps run. The step waits for it, or builds again and shows why it fails.
  if is_chosen kubernetes; then scripts/cluster-tools >/dev/null 2>&1 & fi
  fast_scratch
  if [ -n "$with_postgres" ]; then start_postgres; fi
  export YUNLAB_BIN=$CARGO_TARGET_DIR/debug/yunlab
}
outside=(binutils bubblewrap curl git python3 litmus rclone restic rsync docker.io busybox-static docker-registry iproute2
  openssh-server openssl age ffmpeg slapd ldap-utils faketime prometheus python3-aiosmtpd util-linux mount e2fsprogs xfsprogs
  nginx-light caddy)

# As scripts/cluster-tools has them.
cluster_packages=(libseccomp-dev containernetworking-plugins iproute2 iptables conntrack busybox-static docker-registry
  openssl curl)

# A test's databases need not survive a power cut: in memory, if there is room.
fast_scratch() {
  local free
  free=$(df --output=avail /dev/shm 2>/dev/null | tail -n 1) || return 0
  if [ "${free:-0}" -gt 1048576 ] && [ -w /dev/shm ]; then export TEST_SQLITE_DIR=/dev/shm; fi
}

as_postgres() { if [ "$(id -u)" -eq 0 ]; then runuser -u postgres -- "$@"; else "$@"; fi; }
stop_postgres() {
  [ -n "$cluster" ] || return 0
  as_postgres "$pg/pg_ctl" -D "$cluster/data" -m immediate stop >/dev/null 2>&1 || true
  rm -rf "$cluster"
}

# A PostgreSQL of our own on a free port, without durability, because its data belong to the tests. In memory, if there
# is room: dropping a database writes out the unwritten data of all others. TEST_POSTGRES_URL is for the tests that
# require PostgreSQL, besides SQLite.
cluster=
start_postgres() {
  pg=$(dirname "$(find /usr/lib/postgresql -name initdb | sort -V | tail -n 1)")
  cluster=$(mktemp -d -p "${TEST_SQLITE_DIR:-$work}")
  chmod 711 "$work" "$cluster"
  install -d -m 700 "$cluster/data"
  [ "$(id -u)" -eq 0 ] && chown postgres "$cluster/data"
  as_postgres "$pg/initdb" -D "$cluster/data" -A trust -U postgres --no-sync >/dev/null
  local port
  port=$(node -e 'const s=require("net").createServer().listen(0,"127.0.0.1",()=>{console.log(s.address().port);s.close()})')
  as_postgres "$pg/pg_ctl" -D "$cluster/data" -w -l "$cluster/data/log" \
    -o "-c listen_addresses=127.0.0.1 -c port=$port -c unix_socket_directories= -c fsync=off -c full_page_writes=off -c max_connections=300" start >/dev/null
  database=postgres://postgres@127.0.0.1:$port/postgres
  export TEST_POSTGRES_URL=$database
}
