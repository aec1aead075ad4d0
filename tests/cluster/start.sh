#!/usr/bin/env bash
# Starts a Kubernetes cluster for tests: a control plane, real nodes with cards, and registries, in namespaces of their
# own. It lasts until its input ends, and then goes with its processes, mounts, network and files.
#
#   start.sh BIN FOLDER NUMBER NODES
#
# With CARDS=counted the only node offers its cards by a device plugin, which counts them, instead of by DRA.
#
# BIN has the programs (scripts/cluster-tools). No two clusters of a machine have the same FOLDER or NUMBER (1 to 200). The
# machine reaches the cluster at 172.31.NUMBER.2: the API server on port 6443, host ports, node ports, a registry on 5000,
# and on 5001 one that requires an account. NODES is 1 to 3; each has four cards, GPU-<node>-0 to GPU-<node>-3.
#
# Prints "ready" when FOLDER/admin.kubeconfig works, the nodes are ready and the image localhost/lab/busybox:1 is on them.
# Needs root, and control groups below /sys/fs/cgroup.
set -euo pipefail
here=$(dirname "$(realpath "$0")")
bin=$1 folder=$2 number=$3 nodes=$4
address=172.31.$number.2
export here bin folder number nodes address

# What kubelets set for the whole machine.
tunables=(vm.overcommit_memory vm.panic_on_oom kernel.panic kernel.panic_on_oops)

if [ "${5:-}" != inside ]; then
  groups() { find /sys/fs/cgroup -maxdepth 2 -type d -name "yk$number-*"; }
  # What a killed test left there.
  clear_groups() { groups | while read -r group; do find "$group" -depth -type d -exec rmdir {} + 2>/dev/null || true; done; }
  before=$(sysctl "${tunables[@]}")
  clean() {
    for _ in $(seq 50); do
      clear_groups
      [ -z "$(groups)" ] && break
      sleep 0.1
    done
    sysctl -q -w $(tr -d ' ' <<<"$before") >/dev/null 2>&1 || true
    ip link delete "yk$number" 2>/dev/null || true
    rm -rf --one-file-system "$folder"
  }
  clear_groups
  ip link delete "yk$number" 2>/dev/null || true
  rm -rf --one-file-system "$folder"
  mkdir -p "$folder/log"
  # An interrupt from a terminal ends the test, and with it our input.
  trap '' INT
  trap clean EXIT
  exec 9</proc/self/ns/net
  unshare --net --mount --pid --fork --kill-child --mount-proc "$0" "$@" inside
  exit
fi

# --- Within the namespaces; this is process 1, so everything ends with it.
ip link set lo up
ip link add eth0 type veth peer name "yk$number"
ip link set "yk$number" netns /proc/self/fd/9
ip address add "$address/24" dev eth0
ip link set eth0 up
nsenter --net=/proc/self/fd/9 ip address add "172.31.$number.1/24" dev "yk$number"
nsenter --net=/proc/self/fd/9 ip link set "yk$number" up
exec 9<&-
sysctl -q -w net.ipv4.ip_forward=1

# Places that programs write to wherever their folders are: sockets of shims, results of CNI, links to logs, sockets of
# device plugins.
mount -t tmpfs none /run
mkdir /run/netns
for place in /var/lib/cni /var/lib/kubelet /var/log/containers; do
  mkdir -p "$place"
  mount -t tmpfs none "$place"
done

# A /dev of our own, since containers with user namespaces get their nodes from there. Cards do what /dev/null does.
dev=$folder/dev
mkdir -p "$dev"
mount -t tmpfs -o mode=755 none "$dev"
mkdir "$dev"/{pts,shm,net}
while read -r name major minor; do mknod -m 666 "$dev/$name" c "$major" "$minor"; done <<'NODES'
null 1 3
zero 1 5
full 1 7
random 1 8
urandom 1 9
kmsg 1 11
tty 5 0
fuse 10 229
net/tun 10 200
nvidia0 1 3
nvidia1 1 3
nvidia2 1 3
nvidia3 1 3
NODES
mount -t devpts -o newinstance,ptmxmode=666,mode=620 devpts "$dev/pts"
mount -t tmpfs shm "$dev/shm"
ln -s pts/ptmx "$dev/ptmx"
ln -s /proc/self/fd "$dev/fd"
for stream in 0:stdin 1:stdout 2:stderr; do ln -s "fd/${stream%:*}" "$dev/${stream#*:}"; done
mount --move "$dev" /dev

cd "$folder"
# run NAME COMMAND…: in the background; its process number is in pid/NAME, for tests that end it.
mkdir -p pid
run() {
  local name=$1
  shift
  "$@" </dev/null >>"log/$name.log" 2>&1 &
  echo "$!" > "pid/$name"
}
# wait_for NAME COMMAND…: for a minute, or shows the log of NAME.
wait_for() {
  local name=$1
  shift
  for _ in $(seq 600); do
    "$@" >/dev/null 2>&1 && return
    sleep 0.1
  done
  tail -n 20 "log/$name.log" >&2
  exit 1
}
export -f run wait_for

# That of testkit's TestRegistry.
cat > accounts <<'ACCOUNT'
lab:$2b$05$abcdefghijklmnopqrstuuIGuDfAC7qjNfYxFICnK6uh7BXk74doK
ACCOUNT
for registry in 5000: 5001:account; do
  port=${registry%%:*}
  settings=$folder/registry-$port.yml
  {
    echo 'version: 0.1'
    echo 'log: {level: error}'
    echo "storage: {filesystem: {rootdirectory: $folder/registry-$port}, delete: {enabled: true}}"
    echo "http: {addr: '0.0.0.0:$port'}"
    [ -z "${registry#*:}" ] || echo "auth: {htpasswd: {realm: lab, path: $folder/accounts}}"
  } > "$settings"
  run "registry-$port" docker-registry serve "$settings"
done
"$here/images.sh" "$folder/images" &
images=$!
"$here/plane.sh"
wait "$images"
starts=()
for node in $(seq "$nodes"); do
  "$here/node.sh" "$node" &
  starts+=("$!")
done
run disks "$bin/kube" disks --kubeconfig "$folder/admin.kubeconfig" --folder "$folder/volumes"
for start in "${starts[@]}"; do wait "$start"; done
echo ready
cat >/dev/null
