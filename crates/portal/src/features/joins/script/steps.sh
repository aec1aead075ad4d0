look_at_system() {
    OS=$( (. /etc/os-release && printf '%s' "${PRETTY_NAME-}") 2>/dev/null | plain)
    kind=$( (. /etc/os-release && printf '%s %s' "${ID-}" "${ID_LIKE-}") 2>/dev/null)
    DNF=$(command -v dnf || command -v yum || :)
    case " $kind " in
    *debian* | *ubuntu*) FAMILY=debian ;;
    *) if [ -n "$DNF" ]; then FAMILY=rhel; else FAMILY=other; fi ;;
    esac
    [ -n "$OS" ] || OS=$(uname -s)
    note "$OS，内核 $(uname -r)，$(uname -m)"
    [ "$(id -u)" = 0 ] || [ -n "$DRY" ] || fail '请用 root 运行（命令前加 sudo）'
    command -v systemctl >/dev/null 2>&1 ||
        fail '这台机器没有 systemd，脚本不知道怎样启动 Docker。请按页面上“手工添加”的步骤做'
}

# 钥匙只在本机生成和保存，送出去的只是证书请求。
make_request() {
    mkdir -p "$FOLDER" && chmod 700 "$FOLDER" || fail "不能建立 $FOLDER"
    if [ ! -s "$FOLDER/key.pem" ]; then
        (umask 077 && openssl ecparam -name prime256v1 -genkey -noout -out "$FOLDER/key.pem.new") 2>"$WORK/error" &&
            mv "$FOLDER/key.pem.new" "$FOLDER/key.pem" || fail "生成密钥失败：$(plain <"$WORK/error")"
    fi
    openssl req -new -sha256 -key "$FOLDER/key.pem" -subj '/CN=yunlab-engine' -out "$WORK/request.pem" \
        2>"$WORK/error" || fail "生成证书请求失败：$(plain <"$WORK/error")"
}

begin() {
    say '1/7 查看系统，取得证书'
    look_at_system
    need curl curl curl
    need openssl openssl openssl
    if [ -n "$DRY" ]; then
        plan "在 $FOLDER 生成密钥，向平台 $PORTAL 取得 $HOST 的证书"
        return
    fi
    make_request
    machine="{\"hostname\":$(json "$(uname -n)"),\"os\":$(json "$OS"),\"kernel\":$(json "$(uname -r)"),\
\"architecture\":$(json "$(uname -m)")}"
    request=$(awk '{printf "%s\\n", $0}' "$WORK/request.pem")
    ask POST /api/joins/begin "{\"request\":\"$request\",\"machine\":$machine}" || fail "$WHY"
    BEGUN=1
    awk -v cert="$WORK/cert.pem" -v ca="$WORK/ca.pem" \
        '/BEGIN CERTIFICATE/ { n++ } { if (n == 1) print >cert; else if (n == 2) print >ca }' "$WORK/answer"
    # 没有 HTTPS 时应答可能被改过；脚本本身核对过，里面的指纹可信。
    found=$(openssl x509 -in "$WORK/ca.pem" -outform DER 2>/dev/null | openssl dgst -sha256 -binary | openssl base64)
    [ "$found" = "$AUTHORITY" ] || fail '应答里的 CA 不是这个平台的，可能有人在中间改过。请检查网络，重新生成命令'
    openssl verify -CAfile "$WORK/ca.pem" "$WORK/cert.pem" >"$WORK/log" 2>&1 ||
        fail "平台给的证书不能用，请检查这台机器的时间（现在是 $(date '+%Y-%m-%d %H:%M')）：$(plain <"$WORK/log")"
    for name in cert ca; do
        cp "$WORK/$name.pem" "$FOLDER/$name.pem.new" && mv "$FOLDER/$name.pem.new" "$FOLDER/$name.pem" ||
            fail "不能写入 $FOLDER"
    done
    note '证书已取得'
}

# 发行版提供的 Docker 的包名。
docker_packages() {
    case $FAMILY in
    debian)
        for name in docker-ce docker.io; do
            if apt-cache policy "$name" 2>/dev/null | grep -q 'Candidate: [0-9]'; then
                echo "$name"
                return 0
            fi
        done
        ;;
    rhel)
        for name in docker-ce moby-engine docker-engine; do
            if "$DNF" -q info "$name" >/dev/null 2>&1; then
                echo "$name"
                return 0
            fi
        done
        ;;
    esac
    return 1
}

set_up_docker() {
    begin_step docker '2/7 Docker'
    program=$(command -v dockerd || :)
    case $program in
    /snap/*) fail '这里的 Docker 是 snap 装的，不能这样配置。请卸载它（snap remove docker），改用 apt 安装' ;;
    esac
    if [ -n "$program" ]; then
        passed "已安装：$(dockerd --version 2>&1 | plain)"
        return
    fi
    [ "$FAMILY" != debian ] || [ -n "$DRY" ] || apt-get update -q >"$WORK/log" 2>&1
    package=$(docker_packages) ||
        fail '软件源里没有 Docker。请先添加 docker-ce 的软件源（各高校镜像站都有），安装后再运行一次本命令'
    if [ -n "$DRY" ]; then
        plan "安装 $package 并设为开机启动"
        return
    fi
    note "安装 $package，可能需要几分钟"
    install_packages "$package" || fail "安装 $package 失败：$(tail -n 3 "$WORK/log" | plain)"
    systemctl enable docker >"$WORK/log" 2>&1 || :
    passed "已安装 $package：$(dockerd --version 2>&1 | plain)"
}

mount_disk() {
    begin_step disk '3/7 网盘'
    if [ -z "$STORAGE_PATH" ]; then
        note '不使用网盘'
        report disk skipped '不使用网盘'
        return
    fi
    if mountpoint -q "$STORAGE_PATH" 2>/dev/null; then
        look_at_mount
        return
    fi
    if [ -z "$STORAGE_SOURCE" ]; then
        if [ -d "$STORAGE_PATH" ]; then passed "使用已有的文件夹 $STORAGE_PATH"; else
            warn "没有文件夹 $STORAGE_PATH。请把网盘挂载到那里，然后在服务器页面点“检测”"
        fi
        return
    fi
    need mount.nfs nfs-common nfs-utils
    if [ -n "$DRY" ]; then
        plan "把 $STORAGE_SOURCE 挂载到 $STORAGE_PATH，并写入 /etc/fstab"
        return
    fi
    mount_by_fstab
}

# 已经挂载的不去动它，只看是不是要的那个共享、重启后还在不在。
look_at_mount() {
    folder=$(readlink -f "$STORAGE_PATH")
    # 同一个文件夹上可能先有 autofs，最后挂载的才看得见。
    mounted=$(awk -v path="$folder" '$2 == path { source = $1 } END { print source }' /proc/mounts)
    if [ -n "$STORAGE_SOURCE" ] && [ "${mounted%/}" != "${STORAGE_SOURCE%/}" ]; then
        warn "$STORAGE_PATH 上挂载的是 $mounted，不是 $STORAGE_SOURCE。如果不是同一个共享，请卸载它（umount $STORAGE_PATH），改正 /etc/fstab 后重新挂载，再在服务器页面点“检测”"
    elif ! mounted_at_boot; then
        warn "$mounted 已挂载在 $STORAGE_PATH，但 /etc/fstab 里没有，重启后不会自动挂载。请写入 /etc/fstab；如果由 autofs 等自动挂载，不必改"
    else
        passed "$mounted 已经挂载在 $STORAGE_PATH"
    fi
}

mounted_at_boot() {
    awk -v path="$STORAGE_PATH" -v folder="$folder" '
        $1 !~ /^#/ { sub("/+$", "", $2); if ($2 == path || $2 == folder) found = 1 }
        END { exit !found }' /etc/fstab 2>/dev/null && return 0
    unit=$(systemd-escape --path "$folder" 2>/dev/null) || return 1
    [ -e "/etc/systemd/system/$unit.mount" ] || [ -e "/etc/systemd/system/$unit.automount" ]
}

mount_by_fstab() {
    known=$(awk -v path="$STORAGE_PATH" '$1 !~ /^#/ && $2 == path { print $1; exit }' /etc/fstab 2>/dev/null)
    [ -z "$known" ] || [ "$known" = "$STORAGE_SOURCE" ] ||
        fail "/etc/fstab 里 $STORAGE_PATH 已经是 $known，和要挂载的 $STORAGE_SOURCE 不同，请先确认"
    mkdir -p "$STORAGE_PATH" || fail "不能建立 $STORAGE_PATH"
    line="$STORAGE_SOURCE $STORAGE_PATH nfs defaults,hard,nosuid,_netdev,nofail 0 0"
    # 先试挂载，成功了才写 fstab：写错的 fstab 会拖住下次开机。实例里的 root 写得出 setuid 程序，所以要 nosuid。
    mount -t nfs -o hard,nosuid "$STORAGE_SOURCE" "$STORAGE_PATH" >"$WORK/log" 2>&1 ||
        fail "挂载 $STORAGE_SOURCE 失败：$(plain <"$WORK/log")。请检查 NFS 服务器是否允许这台机器挂载"
    if [ -z "$known" ]; then
        [ -z "$(tail -c 1 /etc/fstab 2>/dev/null)" ] || echo >>/etc/fstab
        printf '# 云实验室网盘\n%s\n' "$line" >>/etc/fstab
        systemctl daemon-reload
    fi
    passed "$STORAGE_SOURCE 已挂载到 $STORAGE_PATH，开机自动挂载"
}

find_cards() {
    begin_step cards '5/7 显卡'
    CARDS='[]'
    if ! command -v nvidia-smi >/dev/null 2>&1; then
        if grep -qs 0x10de /sys/bus/pci/devices/*/vendor; then
            warn '有 NVIDIA 的设备，但没有 nvidia-smi。请安装驱动，平台会自动发现显卡'
        elif ls /dev/davinci[0-9]* >/dev/null 2>&1; then
            warn '发现昇腾显卡。请在服务器页面的“显卡”里用“登记几张相同的显卡”一次登记'
        else passed '没有 NVIDIA 显卡'; fi
        return
    fi
    nvidia-smi --query-gpu=index,uuid,name,memory.total --format=csv,noheader,nounits >"$WORK/cards" 2>"$WORK/error" || {
        warn "nvidia-smi 运行失败，请检查驱动：$(cat "$WORK/cards" "$WORK/error" | plain)"
        return
    }
    CARDS=$(awk -F', *' 'BEGIN { printf "[" } NF >= 4 {
        gsub(/[^ -~]|["\\]/, "", $3)
        printf "%s{\"index\":%d,\"uuid\":\"%s\",\"model\":\"%s\",\"memory\":%d}", n++ ? "," : "", $1, $2, $3, $4
    } END { printf "]" }' "$WORK/cards")
    count=$(grep -c '^[0-9][0-9]*, .*, .*, ' "$WORK/cards")
    if command -v nvidia-ctk >/dev/null 2>&1 || command -v nvidia-container-runtime-hook >/dev/null 2>&1; then
        passed "发现 $count 张 NVIDIA 显卡"
    else
        warn "发现 $count 张 NVIDIA 显卡，但没有 nvidia-container-toolkit，实例用不了显卡。请安装它，然后运行 nvidia-ctk runtime configure --runtime=docker && systemctl restart docker"
    fi
}

connect() {
    begin_step connect '6/7 平台连接这台服务器'
    if [ -n "$DRY" ]; then
        plan "让平台连接 $HOST:$PORT，连上后登记服务器和显卡"
        return
    fi
    ask POST /api/joins/finish "{\"cards\":$CARDS}" || fail "$WHY"
    note "$(cat "$WORK/answer")"
}

check() {
    say '7/7 检测'
    if [ -n "$DRY" ]; then
        plan '让平台检测这台服务器，把结果显示在这里'
        return
    fi
    if WAIT=300 ask POST /api/joins/check; then cat "$WORK/answer"; else
        note "检测没有完成：$WHY。请在服务器页面点“检测”"
    fi
}

WORK=$(mktemp -d) || exit 1
trap 'rm -rf "$WORK"' EXIT
trap interrupted HUP INT TERM
echo "把这台机器添加为云实验室的服务器：$HOST"
[ -z "$DRY" ] || echo '（只是说明会做什么，什么都不改）'
begin
set_up_docker
mount_disk
set_up_engine
find_cards
connect
check
say '完成'
