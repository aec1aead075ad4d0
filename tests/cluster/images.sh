#!/usr/bin/env bash
# Makes archives of the images that each node has: the one of pods' sandboxes, and one with busybox and nothing else.
#
#   images.sh FOLDER
set -euo pipefail
mkdir -p "$1"
cd "$1"
mkdir -p root/{bin,dev,etc,proc,root,sys,tmp,var}
cp /bin/busybox root/bin/busybox
printf 'root:x:0:0:root:/root:/bin/sh\nann:x:1000:1000::/tmp:/bin/sh\n' > root/etc/passwd
printf 'root:x:0:\nann:x:1000:\ncards:x:1001:ann\n' > root/etc/group
/bin/busybox --list | grep -vx busybox | while read -r applet; do ln -s busybox "root/bin/$applet"; done
tar --sort=name --owner 0 --group 0 --numeric-owner --mtime @0 -cf layer.tar -C root .
layer=$(sha256sum layer.tar | cut -d ' ' -f 1)

# archive NAME COMMAND: writes NAME.tar of the one layer.
archive() {
  cat > config.json <<CONFIG
{"architecture": "amd64", "os": "linux", "created": "2026-01-01T00:00:00Z", "history": [{"created_by": "images.sh"}],
 "config": {"Cmd": $2, "Env": ["PATH=/usr/sbin:/usr/bin:/sbin:/bin"], "WorkingDir": "/root"},
 "rootfs": {"type": "layers", "diff_ids": ["sha256:$layer"]}}
CONFIG
  echo "[{\"Config\": \"config.json\", \"RepoTags\": [\"localhost/lab/$1:1\"], \"Layers\": [\"layer.tar\"]}]" > manifest.json
  tar -cf "$1.tar" manifest.json config.json layer.tar
}
archive pause '["/bin/sleep", "2000000000"]'
archive busybox '["/bin/sh", "-c", "echo up; exec sleep 1000000"]'
rm -rf root layer.tar config.json manifest.json
