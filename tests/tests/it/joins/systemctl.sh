#!/bin/sh
# Stands in for systemd: it has one service, docker, and starts it as its unit and the drop-in say.
unit=/etc/test-docker.service
drop_in=/etc/systemd/system/docker.service.d/yunlab.conf
pid=/run/docker.pid

alive() { [ -s "$pid" ] && kill -0 "$(cat "$pid")" 2>/dev/null; }

stop() {
    alive || return 0
    kill "$(cat "$pid")"
    tries=0
    while alive && [ $tries -lt 200 ]; do
        sleep 0.1
        tries=$((tries + 1))
    done
}

start() {
    command=$({
        cat "$unit"
        cat "$drop_in" 2>/dev/null
    } | awk '{ if (sub(/\\$/, "")) { line = line $0; next } print line $0; line = "" }' |
        sed -n 's/^ExecStart=\(..*\)/\1/p' | tail -n 1)
    rm -f "$pid"
    eval "DOCKER_OPTS= nohup $command >>/run/dockerd.log 2>&1 </dev/null &"
    tries=0
    while [ $tries -lt 300 ]; do
        curl -sf --unix-socket /run/docker.sock http://docker/_ping >/dev/null && return 0
        kill -0 $! 2>/dev/null || return 1
        sleep 0.1
        tries=$((tries + 1))
    done
    return 1
}

echo "$*" >>/run/systemctl.log
case $1 in
cat)
    cat "$unit"
    [ ! -e "$drop_in" ] || cat "$drop_in"
    ;;
is-active) alive ;;
reload) alive && kill -HUP "$(cat "$pid")" ;;
restart)
    stop
    start
    ;;
esac
