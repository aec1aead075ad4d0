
# 用法：sh 本脚本 [--dry-run]
#   --dry-run 只说会做什么，什么都不改。
# 可以重复运行：已经做好的步骤不会重做，不会改动不是它建立的东西。

set -u
umask 022
LC_ALL=C
export LC_ALL
PATH=$PATH:/usr/sbin:/sbin
export PATH

FOLDER=/etc/docker/yunlab
CONFIG=/etc/docker/daemon.json
DROP_IN=/etc/systemd/system/docker.service.d/yunlab.conf
SOCKET=/var/run/docker.sock
STEP=begin
BEGUN=
CHANGING=
WHY=

case ${1-} in
'') DRY= ;;
--dry-run) DRY=1 ;;
*)
    echo '用法：sh join.sh [--dry-run]' >&2
    exit 2
    ;;
esac

say() { printf '\n== %s\n' "$1"; }
note() { printf '   %s\n' "$1"; }
plan() { printf '   将会：%s\n' "$1"; }

# 一行可打印的 ASCII，程序的输出不一定是 UTF-8。
plain() { tr '\n\t' '  ' | tr -cd '\040-\176' | cut -c1-300 | sed 's/ *$//'; }

# 一段文字写成 JSON 字符串。
json() { printf '"%s"' "$(printf '%s' "$1" | tr -d '\000-\037\177' | sed 's/\\/\\\\/g; s/"/\\"/g')"; }

# ask 方法 路径 [JSON]：应答在 $WORK/answer，失败的原因在 WHY。口令不出现在进程的参数里。
ask() {
    method=$1
    path=$2
    printf '%s' "${3-}" >"$WORK/data"
    set -- -sS -o "$WORK/answer" -w '%{http_code}' --connect-timeout 10 --max-time "${WAIT:-60}" -X "$method"
    [ -z "$PIN" ] || set -- "$@" -k --pinnedpubkey "sha256//$PIN"
    [ ! -s "$WORK/data" ] || set -- "$@" -H 'Content-Type: application/json' --data-binary "@$WORK/data"
    : >"$WORK/answer"
    code=$(printf 'header = "Authorization: Bearer %s"\n' "$TOKEN" | curl "$@" -K - "$PORTAL$path" 2>"$WORK/error")
    case $? in
    0) ;;
    90)
        WHY="平台的证书和生成命令时不一样。如果平台前面有反向代理，或证书刚换过，请在页面重新生成命令"
        return 1
        ;;
    *)
        WHY="连不上平台 $PORTAL：$(plain <"$WORK/error")"
        return 1
        ;;
    esac
    case $code in
    2??) return 0 ;;
    esac
    WHY=$(sed -n 's/.*"message":"\([^"]*\)".*/\1/p' "$WORK/answer")
    [ -n "$WHY" ] || WHY="平台应答 $code"
    return 1
}

# report 步骤 结果 说明
report() {
    [ -n "$BEGUN" ] || return 0
    ask POST /api/joins/report "{\"step\":\"$1\",\"outcome\":\"$2\",\"detail\":$(json "$3")}" ||
        note "（这一步的结果没有送到平台：$WHY）"
}

passed() {
    note "$1"
    report "$STEP" passed "$1"
}

warn() {
    note "注意：$1"
    report "$STEP" warning "$1"
}

fail() {
    printf '\n失败：%s\n' "$1" >&2
    report "$STEP" failed "$1"
    exit 1
}

# 改 Docker 的配置改到一半时，先恢复原来的。
interrupted() {
    trap '' HUP INT TERM
    [ -z "$CHANGING" ] || restore_engine
    fail '运行被中断'
}

# begin_step 步骤 标题
begin_step() {
    STEP=$1
    say "$2"
    [ -n "$DRY" ] || report "$STEP" running ''
}

# 装软件包：只用发行版已经配置好的软件源。
install_packages() {
    case $FAMILY in
    debian)
        apt-get update -q >"$WORK/log" 2>&1
        DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@" >>"$WORK/log" 2>&1
        ;;
    rhel) "$DNF" install -y -q "$@" >"$WORK/log" 2>&1 ;;
    *) return 1 ;;
    esac
}

# need 命令 Debian的包 RHEL的包
need() {
    if command -v "$1" >/dev/null 2>&1; then return 0; fi
    package=$2
    [ "$FAMILY" = rhel ] && package=$3
    if [ -n "$DRY" ]; then
        plan "安装 $package"
        return 0
    fi
    note "安装 $package"
    install_packages "$package" || fail "没有 $1，安装 $package 也没有成功：$(tail -n 3 "$WORK/log" 2>/dev/null | plain)"
}

