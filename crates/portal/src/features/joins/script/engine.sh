# merge 原文件：把 OURS 里的设置放进 JSON 的最外层，其余不动。HOSTS 是要加上的监听地址。不是 JSON 对象时返回非 0。
merge() {
    awk '
    function trimmed(s) { gsub(/^[ \t\r\n]+|[ \t\r\n]+$/, "", s); return s }
    function listen(s) { s = trimmed(s); if (s != "" && !(s in known)) { known[s] = 1; all = all (all == "" ? "" : ", ") s } }
    function entry(s,   key, i, n, list) {
        s = trimmed(s)
        if (s == "") return
        if (!match(s, /^"[^"]*"/)) { bad = 1; return }
        key = substr(s, 2, RLENGTH - 2)
        if (key == "hosts" && ENVIRON["HOSTS"] != "") {
            s = trimmed(substr(s, index(s, ":") + 1))
            n = split(substr(s, 2, length(s) - 2), list, ",")
            for (i = 1; i <= n; i++) listen(list[i])
        } else if (index(ENVIRON["KEYS"], " " key " ") == 0) {
            kept = kept "  " s ",\n"
        }
    }
    { text = text $0 "\n" }
    END {
        for (i = 1; i <= length(text); i++) {
            c = substr(text, i, 1)
            if (quoted) { if (c == "\\") i++; else if (c == "\"") quoted = 0 }
            else if (c == "\"") { quoted = 1; if (depth == 0) bad = 1 }
            else if (c == "{" || c == "[") { if (depth++ == 0) { if (c == "[" || start) bad = 1; start = i + 1 } }
            else if (c == "}" || c == "]") { if (--depth == 0) { entry(substr(text, start, i - start)); closed = 1 } }
            else if (c == "," && depth == 1) { entry(substr(text, start, i - start)); start = i + 1 }
            else if (depth == 0 && c !~ /[ \t\r\n]/) bad = 1
        }
        if (bad || quoted || depth != 0 || !closed) exit 3
        n = split(ENVIRON["HOSTS"], list, " ")
        for (i = 1; i <= n; i++) listen("\"" list[i] "\"")
        if (all != "") kept = kept "  \"hosts\": [" all "],\n"
        printf "{\n%s%s\n}\n", kept, ENVIRON["OURS"]
    }' "$1"
}

# 单元文件里 dockerd 的启动命令：-H 去掉（和 daemon.json 的 hosts 不能同时有），监听地址记在 LISTEN。
read_unit() {
    systemctl cat docker.service >"$WORK/unit" 2>/dev/null || fail '找不到 docker.service，Docker 不是以系统服务安装的'
    command=$(awk '{ if (sub(/\\$/, "")) { line = line $0; next } print line $0; line = "" }' "$WORK/unit" |
        sed -n 's/^ExecStart=\(..*\)/\1/p' | tail -n 1)
    [ -n "$command" ] || fail 'docker.service 里没有启动命令'
    LISTEN=
    EXEC=
    LIVE_FLAG=
    set -f
    # shellcheck disable=SC2086
    set -- $command
    set +f
    while [ $# -gt 0 ]; do
        case $1 in
        -H | --host)
            LISTEN="$LISTEN ${2-}"
            [ $# -lt 2 ] || shift
            ;;
        -H=* | --host=*) LISTEN="$LISTEN ${1#*=}" ;;
        -H*) LISTEN="$LISTEN ${1#-H}" ;;
        --tls | --tls=* | --tlsverify | --tlsverify=* | --tlscacert=* | --tlscert=* | --tlskey=*) ;;
        --live-restore | --live-restore=*) EXEC="$EXEC $1" LIVE_FLAG=1 ;;
        *) EXEC="$EXEC $1" ;;
        esac
        shift
    done
    EXEC=${EXEC# }
    options=$(grep -hE '^[[:space:]]*(OPTIONS|DOCKER_OPTS)=' /etc/sysconfig/docker /etc/default/docker 2>/dev/null)
    case $options in
    *' -H'* | *'"-H'* | *--host* | *--tls*)
        fail '/etc/default/docker 或 /etc/sysconfig/docker 里有 -H 或 --tls 参数，请先去掉再运行'
        ;;
    *--live-restore*) LIVE_FLAG=1 ;;
    esac
}

# 有容器在运行时，先单独打开 live-restore 并重新载入，这样重启 Docker 不会停掉它们。
keep_containers() {
    [ -z "$LIVE_FLAG" ] || return 0
    systemctl is-active --quiet docker || return 0
    export HOSTS='' KEYS=' live-restore ' OURS='  "live-restore": true'
    if merge "$WORK/before.json" >"$WORK/live.json" && cp "$WORK/live.json" "$CONFIG" &&
        systemctl reload docker >"$WORK/log" 2>&1; then
        KEPT=1
    else
        note '没有能先打开 live-restore，重启 Docker 时正在运行的容器会停'
    fi
}

former_config() {
    if [ -n "$HAD_CONFIG" ]; then cp "$WORK/before.json" "$CONFIG"; else rm -f "$CONFIG"; fi
}

restore_engine() {
    CHANGING=
    if [ -s "$WORK/drop-in.before" ]; then cp "$WORK/drop-in.before" "$DROP_IN"; else rm -f "$DROP_IN"; fi
    systemctl daemon-reload
    # 启动时没有 live-restore 的 Docker 会停掉还在运行的容器，所以启动之后才放回原来的配置。
    if [ -n "$KEPT" ]; then cp "$WORK/live.json" "$CONFIG"; else former_config; fi
    systemctl restart docker >/dev/null 2>&1
    former_config
}

answers() {
    tries=0
    while [ $tries -lt 30 ]; do
        curl -sf --max-time 2 --unix-socket "$SOCKET" http://docker/_ping >/dev/null 2>&1 && return 0
        tries=$((tries + 1))
        sleep 1
    done
    return 1
}

set_up_engine() {
    begin_step engine '4/7 让 Docker 用证书监听网络，打开 live-restore'
    case $HOST in
    *:*) address="tcp://[::]:$PORT" ;;
    *) address="tcp://0.0.0.0:$PORT" ;;
    esac
    if [ -n "$DRY" ]; then
        plan "合并 $CONFIG：hosts 加上 $address，tlsverify 和证书，live-restore"
        plan "如果单元文件用 -H 指定了监听地址，用 $DROP_IN 去掉它；然后重启 Docker"
        return
    fi
    read_unit
    HAD_CONFIG=
    KEPT=
    echo '{}' >"$WORK/before.json"
    if [ -s "$CONFIG" ]; then
        HAD_CONFIG=1
        cp "$CONFIG" "$WORK/before.json"
        [ -e "$CONFIG.yunlab-before" ] || cp -p "$CONFIG" "$CONFIG.yunlab-before"
    fi
    if [ -e "$DROP_IN" ]; then cp "$DROP_IN" "$WORK/drop-in.before"; fi
    write_engine_files
    systemctl daemon-reload
    if ! systemctl restart docker >"$WORK/log" 2>&1 || ! answers; then
        reason=$(journalctl -u docker -n 5 -o cat --no-pager 2>/dev/null | plain)
        restore_engine
        fail "Docker 用新配置没有启动起来，已恢复原来的配置：$reason"
    fi
    CHANGING=
    look_at_firewall "Docker 正在 $address 监听，只接受平台的证书"
}

write_engine_files() {
    HOSTS=${LISTEN# }
    # 没有 -H、daemon.json 里也没有 hosts 时，默认的套接字要写出来，否则只剩下网络。
    if [ -z "$HOSTS" ] && ! grep -q '"hosts"' "$WORK/before.json"; then HOSTS="unix://$SOCKET"; fi
    export HOSTS="$HOSTS $address" KEYS=' live-restore tls tlsverify tlscacert tlscert tlskey '
    OURS="  \"tlsverify\": true,
  \"tlscacert\": \"$FOLDER/ca.pem\",
  \"tlscert\": \"$FOLDER/cert.pem\",
  \"tlskey\": \"$FOLDER/key.pem\""
    [ -n "$LIVE_FLAG" ] || OURS="$OURS,
  \"live-restore\": true"
    export OURS
    merge "$WORK/before.json" >"$WORK/daemon.json" ||
        fail "$CONFIG 不是合法的 JSON，脚本不敢改它。请改正后再运行（原文件没有动）"
    # 老的 Docker（23 以前）不会检查，那就在重启时才知道。
    said=$(dockerd --validate --config-file "$WORK/daemon.json" 2>&1) || case $said in
    *'unknown flag'*) ;;
    *) fail "$CONFIG 里有 Docker 不接受的设置，请改正后再运行（原文件没有动）：$(printf '%s' "$said" | plain)" ;;
    esac
    CHANGING=1
    keep_containers
    mkdir -p /etc/docker && cp "$WORK/daemon.json" "$CONFIG.new" && mv "$CONFIG.new" "$CONFIG" ||
        fail "不能写入 $CONFIG"
    # 只在单元文件用了 -H 时才需要：Debian 的单元文件就有 -H fd://。
    [ -n "$LISTEN" ] || return 0
    mkdir -p "${DROP_IN%/*}"
    printf '# 云实验室：监听地址在 %s 里。\n[Service]\nExecStart=\nExecStart=%s\n' "$CONFIG" "$EXEC" >"$DROP_IN"
}

# 防火墙是机器管理员的事，这里只说要放行什么。
look_at_firewall() {
    if command -v firewall-cmd >/dev/null 2>&1 && firewall-cmd --state >/dev/null 2>&1 &&
        ! firewall-cmd -q --query-port="$PORT/tcp" 2>/dev/null; then
        FIREWALL="firewall-cmd --permanent --add-port=$PORT/tcp && firewall-cmd --reload"
    elif command -v ufw >/dev/null 2>&1 && ufw status 2>/dev/null | grep -q '^Status: active' &&
        ! ufw status 2>/dev/null | grep -q "^$PORT"; then
        FIREWALL="ufw allow $PORT/tcp"
    else
        passed "$1"
        return
    fi
    warn "$1。防火墙开着，如果平台连不上，请运行：$FIREWALL"
}

