#!/usr/bin/env bash
# Starts a node of start.sh, whose environment it has, and waits until it is ready: containerd, a kubelet and the driver
# of its cards.
#
#   node.sh NUMBER
# shellcheck disable=SC2154 # the variables of start.sh
set -euo pipefail
node=$1 name=node-$1 at=$folder/node-$1
group=yk$number-$node bridge=yk$node ip=172.30.$node.1
export PATH=$bin:$PATH
mkdir -p "$at"/{cni,kubelet,pods,plugins,cdi,registries}

# Pods can't be on loopback, and the node must be at an address that they reach.
ip link add name "$bridge" type bridge
ip address add "$ip/24" dev "$bridge"
ip link set "$bridge" up
if [ -f /sys/fs/cgroup/cgroup.controllers ]; then
  mkdir -p "/sys/fs/cgroup/$group"
  for controller in cpu cpuset io memory pids; do
    echo "+$controller" > /sys/fs/cgroup/cgroup.subtree_control 2>/dev/null || true
    echo "+$controller" > "/sys/fs/cgroup/$group/cgroup.subtree_control" 2>/dev/null || true
  done
else
  for tree in /sys/fs/cgroup/*/; do
    if [ -f "$tree/cgroup.procs" ]; then mkdir -p "$tree/$group"; fi
  done
  # In version 1 a new group has no cores until it gets some.
  if [ -d /sys/fs/cgroup/cpuset ]; then echo 1 > /sys/fs/cgroup/cpuset/cgroup.clone_children; fi
fi

cat > "$at/cni/lab.conflist" <<CONFIG
{"cniVersion": "1.0.0", "name": "$bridge", "plugins": [
  {"type": "bridge", "bridge": "$bridge", "isGateway": true, "hairpinMode": true, "ipam": {"type": "host-local",
   "dataDir": "$at/addresses", "ranges": [[{"subnet": "172.30.$node.0/24", "rangeStart": "172.30.$node.10"}]],
   "routes": [{"dst": "0.0.0.0/0"}]}},
  {"type": "portmap", "capabilities": {"portMappings": true}}]}
CONFIG
for port in 5000 5001; do
  mkdir -p "$at/registries/$address:$port"
  cat > "$at/registries/$address:$port/hosts.toml" <<CONFIG
server = "http://$address:$port"
[host."http://$address:$port"]
capabilities = ["pull", "resolve"]
CONFIG
done
cat > "$at/containerd.toml" <<CONFIG
version = 3
root = "$at/containerd"
state = "$at/containerd-state"
disabled_plugins = ["io.containerd.snapshotter.v1.blockfile", "io.containerd.snapshotter.v1.erofs",
  "io.containerd.nri.v1.nri", "io.containerd.tracing.processor.v1.otlp", "io.containerd.internal.v1.opt"]
[grpc]
address = "$at/containerd.sock"
[ttrpc]
address = "$at/containerd.sock.ttrpc"
[plugins.'io.containerd.cri.v1.images']
snapshotter = "overlayfs"
[plugins.'io.containerd.cri.v1.images'.pinned_images]
sandbox = "localhost/lab/pause:1"
[plugins.'io.containerd.cri.v1.images'.registry]
config_path = "$at/registries"
[plugins.'io.containerd.cri.v1.runtime']
# Without CAP_SYS_RESOURCE no process can be made less likely to be killed.
restrict_oom_score_adj = true
cdi_spec_dirs = ["$at/cdi"]
[plugins.'io.containerd.cri.v1.runtime'.cni]
bin_dirs = ["/usr/lib/cni"]
conf_dir = "$at/cni"
[plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc]
runtime_type = "io.containerd.runc.v2"
[plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc.options]
BinaryName = "$bin/runc"
SystemdCgroup = false
CONFIG
# Only a lack of memory evicts: the disk is the whole machine's.
cat > "$at/kubelet.json" <<CONFIG
{"apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration",
 "address": "$ip", "port": $((10249 + node)), "healthzPort": 0, "readOnlyPort": 0,
 "authentication": {"anonymous": {"enabled": false}, "webhook": {"enabled": false},
   "x509": {"clientCAFile": "$folder/pki/ca.crt"}},
 "authorization": {"mode": "AlwaysAllow"},
 "containerRuntimeEndpoint": "unix://$at/containerd.sock", "cgroupDriver": "cgroupfs", "cgroupRoot": "/$group",
 "failCgroupV1": false, "oomScoreAdj": 0, "podLogsDir": "$at/pods", "resolvConf": "", "clusterDomain": "cluster.local",
 "volumePluginDir": "$at/plugins", "failSwapOn": false, "makeIPTablesUtilChains": false,
 "maxOpenFiles": $(ulimit -Hn), "podPidsLimit": 4096, "syncFrequency": "10s", "nodeStatusUpdateFrequency": "10s",
 "imageGCHighThresholdPercent": 100, "imagePullCredentialsVerificationPolicy": "NeverVerify",
 "evictionHard": {"memory.available": "100Mi"}}
CONFIG

run "containerd-$node" "$bin/containerd" --config "$at/containerd.toml" --log-level warn
has_socket() { "$bin/ctr" -a "$at/containerd.sock" version; }
wait_for "containerd-$node" has_socket
for image in pause busybox; do
  "$bin/ctr" -a "$at/containerd.sock" -n k8s.io images import --local "$folder/images/$image.tar" >/dev/null
done
uuids=$(printf "GPU-$node-%s," 0 1 2 3)
# Nodes have cards of different models.
cards=(--product "NVIDIA Test $((24 * node))GB" --memory "$((24 * node))Gi" --uuids "${uuids%,}")
labels=lab=test
if [ "${CARDS:-}" = counted ]; then
  cards+=(--counted)
  # As NVIDIA's feature discovery has it.
  labels+=,nvidia.com/gpu.product=NVIDIA-Test-$((24 * node))GB
fi
run "kubelet-$node" "$bin/kube" kubelet --config "$at/kubelet.json" --kubeconfig "$folder/$name.kubeconfig" \
  --root-dir "$at/kubelet" --cert-dir "$at/kubelet/pki" --hostname-override "$name" --node-ip "$ip" --node-labels "$labels"
run "cards-$node" "$bin/kube" cards --kubeconfig "$folder/$name.kubeconfig" --node "$name" --kubelet "$at/kubelet" \
  --cdi "$at/cdi" "${cards[@]}"
token=$(head -n 1 "$folder/pki/tokens" | cut -d , -f 1)
is_ready() {
  curl -sf --cacert "$folder/pki/ca.crt" -H "Authorization: Bearer $token" \
    "https://127.0.0.1:6443/api/v1/nodes/$name" | tr -d ' \n' | grep -q '"type":"Ready","status":"True"'
}
wait_for "kubelet-$node" is_ready
