#!/usr/bin/env bash
# Installs the clients of tests/clients, with --all also the slow ones, and prints their paths. An installation is kept
# until its sources change.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

clients=${XDG_CACHE_HOME:-$HOME/.cache}/yunlab/clients
sources=$root/tests/clients

# provide NAME FILE…: has install_NAME fill a folder of that name, unless its stamp is of these files.
provide() {
  local name=$1 folder=$clients/$1 stamp
  shift
  stamp=$({ python3 --version && cd "$sources" && sha256sum "$@"; } | sha256sum | cut -d ' ' -f 1)
  [ "$(cat "$folder/.stamp" 2>/dev/null)" = "$stamp" ] && return
  say "安装外来的客户端：$name"
  rm -rf "$folder"
  mkdir -p "$folder"
  "install_$name"
  echo "$stamp" > "$folder/.stamp"
}

install_python() {
  python3 -c 'import ensurepip' 2>/dev/null || need_packages python3-venv
  python3 -m venv "$clients/python"
  "$clients/python/bin/pip" install --quiet --require-hashes --only-binary :all: \
    --requirement "$sources/python/requirements.txt"
}

install_node() {
  cp "$sources"/node/package*.json "$clients/node"
  (cd "$clients/node" && npm ci --no-audit --no-fund --ignore-scripts --silent)
}

install_go() { build_go go gowebdav; }
install_rclone() { build_go rclone rclone; }
build_go() {
  need_go "$1"
  (cd "$sources/$1" && go build -mod=readonly -trimpath -o "$clients/$1/$2" .)
}

# need_go FOLDER: a Go that its module accepts; Debian's is older than some.
need_go() {
  local wanted there
  wanted=$(awk '$1 == "go" { print $2 }' "$sources/$1/go.mod")
  command -v go >/dev/null || need_packages golang-go
  there=$(go env GOVERSION)
  at_least "${there#go}" "$wanted" || fail "Go 版本过旧，需要 $wanted 或更新。"
}

need_java() { { command -v mvn && command -v javac; } >/dev/null || need_packages maven default-jdk-headless; }

install_java() {
  need_java
  mvn --quiet --batch-mode -Dstyle.color=never --strict-checksums --file "$sources/java/pom.xml" \
    dependency:copy-dependencies -DincludeScope=runtime "-DoutputDirectory=$clients/java/lib" >&2
  javac -d "$clients/java/classes" -cp "$clients/java/lib/*" "$sources"/java/*.java
}

install_openapi-python() {
  local name
  need_java
  for name in portal disk; do
    # The generator logs each file that it writes.
    JAVA_OPTS=-Dlog.level=error "$clients/python/bin/openapi-generator-cli" generate --generator-name python \
      --input-spec "$root/openapi/$name.json" --package-name "yunlab_$name" --output "$clients/openapi-python/$name" \
      --global-property apiTests=false,modelTests=false,apiDocs=false,modelDocs=false >/dev/null
  done
  "$clients/python/bin/python" -m compileall -q "$clients/openapi-python"
}

install_pebble() {
  local commands=github.com/letsencrypt/pebble/v2/cmd
  need_go pebble
  (
    cd "$sources/pebble"
    go build -mod=readonly -trimpath -o "$clients/pebble/" "$commands/pebble" "$commands/pebble-challtestsrv"
  )
}

install_openapi-go() {
  need_go openapi-go
  cp "$sources"/openapi-go/* "$sources/go/harness.go" "$clients/openapi-go"
  (
    cd "$clients/openapi-go"
    # For all commands, or each compiles the packages of its own.
    export GOFLAGS="${GOFLAGS:-} -mod=readonly -trimpath"
    for name in portal disk; do
      mkdir "$name"
      go tool oapi-codegen -generate types,client -package "$name" -o "$name/$name.go" "$root/openapi/$name.json"
    done
    go vet ./...
    generator=$(go list -m -f '{{ .Version }}' github.com/oapi-codegen/oapi-codegen/v2)
    go build -ldflags "-X main.generator=$generator" -o openapi-go .
  )
}

mkdir -p "$clients"
# Two checkouts must not install at once.
exec 9> "$clients/.lock"
flock 9

need_packages curl lftp python3 rclone
provide python python/requirements.txt
provide node node/package.json node/package-lock.json
provide go go/go.mod go/go.sum go/harness.go go/main.go
provide pebble pebble/go.mod pebble/go.sum
provide java java/pom.xml java/Harness.java java/SardineClient.java
documents=(../../openapi/portal.json ../../openapi/disk.json)
provide openapi-python python/requirements.txt "${documents[@]}"
provide openapi-go openapi-go/{go.mod,go.sum,main.go,drive_disk.go,drive_portal.go} go/harness.go "${documents[@]}"
if [ "${1:-}" = --all ]; then provide rclone rclone/go.mod rclone/go.sum rclone/main.go; fi
# Where Node.js looks for what the programs import.
ln -sfn "$clients/node/node_modules" "$sources/node/node_modules"
echo "$clients"
