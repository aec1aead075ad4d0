# For scripts/package: builds each part from $binary into $out, with $work for temporary files. Packages are
# reproducible: sorted names, the time of the last commit, numeric owners.
# shellcheck shell=bash disable=SC2154

# need_tools: the commands that packages are made with, each with its Debian package.
need_tools() {
  local tool missing=()
  need_toolchain
  for tool in dpkg-deb:dpkg readelf:binutils git:git gzip:gzip tar:tar xargs:findutils awk:mawk sha256sum:coreutils; do
    command -v "${tool%%:*}" >/dev/null || missing+=("${tool#*:}")
  done
  [ -n "$binary" ] || python3 -c 'import ensurepip, venv' 2>/dev/null || missing+=(python3-venv)
  [ ${#missing[@]} -eq 0 ] || need_packages "${missing[@]}"
  if [ -n "$image" ] && ! command -v apt-get >/dev/null; then
    fail '容器镜像里的 glibc 和证书来自 Debian 或 Ubuntu 的软件包，要有 apt-get。不做镜像用 --no-image。'
  fi
}

# need_time: sets SOURCE_DATE_EPOCH.
need_time() {
  [ -n "${SOURCE_DATE_EPOCH:-}" ] || SOURCE_DATE_EPOCH=$(git log -1 --format=%ct) ||
    fail '不知道最后一次提交的时间。请在 git 的工作目录里运行，或者设置 SOURCE_DATE_EPOCH。'
  export SOURCE_DATE_EPOCH
}

# need_key: $key can be used, or created.
need_key() {
  if [ -e "$key" ]; then
    node packaging/sign.mjs "$key" /dev/null "$work/signature" "$work/public" 2>/dev/null ||
      fail "$key 不是发布者的私钥（Ed25519，PEM）"
  else
    [ -w "$(dirname "$key")" ] || fail "不能在 $(dirname "$key") 里生成私钥"
  fi
}

# build_release: sets $binary. Linked by Zig against glibc 2.28, so that one program runs on distributions since 2018:
# Debian 10, Ubuntu 20.04, RHEL 8, openEuler 20.03. It can't be static, because it resolves host names as the machine is
# configured.
build_release() {
  web_pages
  local tools=${XDG_CACHE_HOME:-$HOME/.cache}/yunlab/package-tools stamp
  # A virtual environment belongs to one Python.
  stamp=$(sha256sum packaging/tools.txt; python3 --version)
  if [ "$(cat "$tools/.stamp" 2>/dev/null)" != "$stamp" ]; then
    say '安装 cargo-zigbuild 和 ziglang'
    rm -rf "$tools"
    python3 -m venv "$tools"
    "$tools/bin/pip" install --quiet --disable-pip-version-check --require-hashes --only-binary :all: \
      --requirement packaging/tools.txt
    echo "$stamp" > "$tools/.stamp"
  fi
  say "构建 $release"
  # A folder of its own: other flags than usual would have everything built again. Paths of this machine stay out of it.
  local folder=$CARGO_TARGET_DIR/package place flags=()
  for place in "$root=/yunlab" "${CARGO_HOME:-$HOME/.cargo}=/cargo" "$folder=/target"; do
    flags+=("--remap-path-prefix=$place")
  done
  PATH=$tools/bin:$PATH PACKAGE_RELEASE=$release CARGO_TARGET_DIR=$folder \
    CARGO_ENCODED_RUSTFLAGS=$(IFS=$'\x1f'; echo "${flags[*]}") \
    cargo zigbuild --release --quiet --locked -p yunlab --target x86_64-unknown-linux-gnu.2.28
  binary=$folder/x86_64-unknown-linux-gnu/release/yunlab
}

# highest_glibc: the highest version of glibc that the program's symbols require.
highest_glibc() {
  readelf --wide --version-info "$binary" | grep -o 'GLIBC_[0-9][0-9.]*' | sed 's/GLIBC_//' | sort -uV | tail -n 1
}

# check_glibc VERSION
check_glibc() {
  local highest
  highest=$(highest_glibc)
  at_least "$1" "$highest" || fail "程序需要 glibc $highest，应不高于 $1"
}

# put MODE FILE TARGET: a file of the tree.
put() { install -D -m "$1" "$2" "$3"; }

# settle FOLDER: sets the times of its files to that of the last commit.
settle() { find "$1" -print0 | xargs -0 touch --no-dereference --date="@$SOURCE_DATE_EPOCH"; }

make_sbom() {
  files+=("yunlab-$release.cdx.json")
  node packaging/sbom.mjs "$release" "$SOURCE_DATE_EPOCH" "${base_packages[@]}" > "$out/yunlab-$release.cdx.json"
}

make_tarball() {
  local name=yunlab-$release-$target
  local tree=$work/tarball/$name
  put 755 "$binary" "$tree/yunlab"
  put 644 packaging/INSTALL.md "$tree/INSTALL.md"
  put 644 docs/ADMIN.md "$tree/docs/ADMIN.md"
  put 644 docs/SECURITY.md "$tree/docs/SECURITY.md"
  put 644 packaging/yunlab.toml "$tree/yunlab.toml"
  put 644 "$out/yunlab-$release.cdx.json" "$tree/sbom.cdx.json"
  settle "$work/tarball"
  files+=("$name.tar.gz")
  tar --create --format=ustar --sort=name --owner=0 --group=0 --numeric-owner --directory "$work/tarball" "$name" |
    gzip --no-name "-$level" > "$out/$name.tar.gz"
}

make_deb() {
  local tree=$work/deb name=yunlab_${release}_amd64.deb depends
  put 755 "$binary" "$tree/usr/bin/yunlab"
  put 644 packaging/yunlab.service "$tree/usr/lib/systemd/system/yunlab.service"
  put 755 packaging/yunlab-generator "$tree/usr/lib/systemd/system-generators/yunlab"
  put 640 packaging/yunlab.toml "$tree/etc/yunlab/yunlab.toml"
  put 644 README.md "$tree/usr/share/doc/yunlab/README.md"
  put 644 docs/ADMIN.md "$tree/usr/share/doc/yunlab/ADMIN.md"
  put 644 docs/SECURITY.md "$tree/usr/share/doc/yunlab/SECURITY.md"
  put 644 packaging/deb/copyright "$tree/usr/share/doc/yunlab/copyright"
  put 644 "$out/yunlab-$release.cdx.json" "$tree/usr/share/doc/yunlab/sbom.cdx.json"
  depends="libc6 (>= $(highest_glibc)), passwd"
  if readelf --wide --dynamic "$binary" | grep -q 'NEEDED.*libgcc_s'; then depends+=', libgcc-s1 | libgcc1'; fi
  mkdir -m 755 "$tree/DEBIAN"
  (cd "$tree" && find usr etc -type f ! -path 'etc/*' -print0 | sort -z | xargs -0 md5sum > DEBIAN/md5sums)
  cat > "$tree/DEBIAN/control" <<CONTROL
Package: yunlab
Version: $release
Architecture: amd64
Maintainer: YunLab <yunlab@localhost>
Installed-Size: $(find "$tree" -type f -printf '%s\n' | awk '{ kib += int(($1 + 1023) / 1024) } END { print kib }')
Depends: $depends
Recommends: bubblewrap, ca-certificates
Suggests: docker.io | docker-ce, postgresql
Section: admin
Priority: optional
Description: 云实验室：GPU 计算实验室的网页门户，内置网盘
 Accounts, quotas, container instances on servers with GPUs, and a network
 disk, in one program with its web pages.
CONTROL
  echo /etc/yunlab/yunlab.toml > "$tree/DEBIAN/conffiles"
  for script in postinst prerm postrm; do put 755 "packaging/deb/$script" "$tree/DEBIAN/$script"; done
  settle "$tree"
  files+=("$name")
  # Single-threaded, because the output of xz depends on the number of threads. Debian before 12 lacks zstd.
  DPKG_DEB_THREADS_MAX=1 dpkg-deb --root-owner-group "-Zxz" "-z$level" --build "$tree" "$out/$name" >/dev/null
}

# image_base: installs the program's dependencies for a container from the packages of this machine's distribution into
# $work/base, with their names for the SBOM. Without a shell: the container starts only the program.
image_base() {
  local cache=${XDG_CACHE_HOME:-$HOME/.cache}/yunlab/image-base package deb distribution
  distribution=$(sed -n 's/^ID="\?\([a-z0-9._-]*\)"\?$/\1/p' /etc/os-release)
  mkdir -p "$cache" "$work/base"
  # A fresh machine has no lists of packages.
  if [ "$(id -u)" -eq 0 ] && ! (cd "$work" && apt-get download --print-uris libc6 >/dev/null 2>&1); then
    apt-get update -qq
  fi
  for package in libc6 libgcc-s1 ca-certificates; do
    # In a folder without the package: else apt prints nothing.
    deb=$(cd "$work" && apt-get download --print-uris "$package" | cut -d ' ' -f 2) && [ -n "$deb" ] ||
      fail "apt 找不到 $package。请先运行：sudo apt-get update"
    if [ ! -f "$cache/$deb" ]; then
      say "下载 $package"
      (cd "$work" && apt-get download --quiet -o APT::Sandbox::User=root "$package" >/dev/null && mv "$deb" "$cache/$deb")
    fi
    dpkg-deb --extract "$cache/$deb" "$work/base"
    base_packages+=("$distribution/$package=$(dpkg-deb --field "$cache/$deb" Version)")
  done
}

make_image() {
  local tree=$work/image name=yunlab-$release-$target.oci.tar library
  put 755 "$binary" "$tree/usr/bin/yunlab"
  mkdir -p "$tree"/{etc/ssl/certs,tmp,usr/lib/x86_64-linux-gnu,usr/share/doc,var/lib/yunlab}
  for library in ld-linux-x86-64.so.2 libc.so.6 libm.so.6 libdl.so.2 libpthread.so.0 librt.so.1 libresolv.so.2 \
    libnss_dns.so.2 libnss_files.so.2 libgcc_s.so.1; do
    put 755 "$(realpath "$(find "$work/base" -name "$library" -print -quit)")" "$tree/usr/lib/x86_64-linux-gnu/$library"
  done
  mkdir "$tree/usr/lib64"
  ln -s usr/lib "$tree/lib"
  ln -s usr/lib64 "$tree/lib64"
  ln -s ../lib/x86_64-linux-gnu/ld-linux-x86-64.so.2 "$tree/usr/lib64/ld-linux-x86-64.so.2"
  # The package concatenates them when it is installed.
  find "$work/base/usr/share/ca-certificates" -name '*.crt' -print0 | sort -z | xargs -0 cat > "$tree/etc/ssl/certs/ca-certificates.crt"
  for library in libc6 libgcc-s1 gcc-12-base ca-certificates; do
    [ ! -f "$work/base/usr/share/doc/$library/copyright" ] ||
      put 644 "$work/base/usr/share/doc/$library/copyright" "$tree/usr/share/doc/$library/copyright"
  done
  put 644 "$out/yunlab-$release.cdx.json" "$tree/usr/share/doc/yunlab/sbom.cdx.json"
  printf 'root:x:0:0:root:/:/sbin/nologin\nyunlab:x:10001:10001:YunLab:/var/lib/yunlab:/sbin/nologin\n' > "$tree/etc/passwd"
  printf 'root:x:0:\nyunlab:x:10001:\n' > "$tree/etc/group"
  echo 'hosts: files dns' > "$tree/etc/nsswitch.conf"
  files+=("$name" "compose-$release.yml")
  node packaging/image.mjs "$tree" "$release" "$SOURCE_DATE_EPOCH" "$level" > "$out/$name"
  sed "s/\${YUNLAB_TAG:-[^}]*}/$release/" deploy/compose.yml > "$out/compose-$release.yml"
}

# make_release: a folder that servers update from. The program publishes itself.
make_release() {
  local said
  said=$("$binary" --version | awk 'NR == 1 { print $2 }')
  [ "$said" = "$release" ] || say "注意：程序自己的版本是 $said，更新时按它比较"
  rm -rf "$out/release"
  mkdir "$out/release"
  put 755 "$binary" "$work/program/yunlab"
  (cd "$work" && program/yunlab admin sign-release "$out/release" --key "$(realpath "$key")") >&2
}

# sum_up: SHA-256 of all, signed as releases are: Ed25519, Base64.
sum_up() {
  (cd "$out" && printf '%s\n' "${files[@]}" | sort | xargs sha256sum > SHA256SUMS)
  rm -f "$out"/SHA256SUMS.sig "$out"/release-key.pem
  if [ -n "$key" ]; then node packaging/sign.mjs "$key" "$out/SHA256SUMS" "$out/SHA256SUMS.sig" "$out/release-key.pem"; fi
  ls -l "$out" >&2
}
