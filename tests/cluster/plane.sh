#!/usr/bin/env bash
# Starts the control plane of start.sh, whose environment it has, and waits until it is ready.
# shellcheck disable=SC2154 # the variables of start.sh
set -euo pipefail
cd "$folder"
mkdir -p pki

# One authority signs what the API server shows to its clients and to kubelets; all others have a token.
key() { openssl ecparam -name prime256v1 -genkey -noout -out "pki/$1.key"; }
# sign NAME SUBJECT EXTENSION
sign() {
  key "$1"
  openssl req -new -key "pki/$1.key" -subj "$2" |
    openssl x509 -req -CA pki/ca.crt -CAkey pki/ca.key -days 3650 -out "pki/$1.crt" -extfile <(echo "$3") 2>/dev/null
}
key ca
openssl req -x509 -new -key pki/ca.key -subj /CN=cluster -days 3650 -out pki/ca.crt
sign apiserver /CN=apiserver \
  "subjectAltName=IP:127.0.0.1,IP:$address,IP:10.96.0.1,DNS:localhost,DNS:kubernetes.default.svc"
sign kubelets /O=system:masters/CN=apiserver extendedKeyUsage=clientAuth
key accounts

# account NAME USER ADDRESS [GROUP]: a token, and NAME.kubeconfig, which has all that it names in it.
account() {
  local token
  token=$(openssl rand -hex 16)
  echo "$token,$2,$1${4:+,\"$4\"}" >> pki/tokens
  cat > "$1.kubeconfig" <<CONFIG
{"apiVersion": "v1", "kind": "Config", "current-context": "test",
 "clusters": [{"name": "test", "cluster": {"server": "https://$3:6443",
   "certificate-authority-data": "$(base64 -w 0 pki/ca.crt)"}}],
 "users": [{"name": "$1", "user": {"token": "$token"}}],
 "contexts": [{"name": "test", "context": {"cluster": "test", "user": "$1"}}]}
CONFIG
}
account admin admin "$address" system:masters
# What tests give the rights that the portal has.
account portal portal "$address"
account controllers system:kube-controller-manager 127.0.0.1
account scheduler system:kube-scheduler 127.0.0.1
account proxy system:kube-proxy 127.0.0.1
for node in $(seq "$nodes"); do account "node-$node" "system:node:node-$node" 127.0.0.1 system:nodes; done

socket=unix://$folder/etcd.sock
# The data of a test need not survive a power cut.
run etcd "$bin/etcd" --data-dir etcd --unsafe-no-fsync --log-level warn --listen-client-urls "$socket" \
  --advertise-client-urls "$socket" --listen-peer-urls "unix://$folder/peer.sock" \
  --initial-advertise-peer-urls http://127.0.0.1:1 --initial-cluster default=http://127.0.0.1:1
cat > apiserver.sh <<START
exec "$bin/kube" apiserver --etcd-servers "$socket" --secure-port 6443 --advertise-address "$address" \\
  --tls-cert-file pki/apiserver.crt --tls-private-key-file pki/apiserver.key --client-ca-file pki/ca.crt \\
  --kubelet-client-certificate pki/kubelets.crt --kubelet-client-key pki/kubelets.key \\
  --kubelet-preferred-address-types InternalIP --token-auth-file pki/tokens --authorization-mode Node,RBAC \\
  --service-account-issuer https://kubernetes.default.svc --service-account-key-file pki/accounts.key \\
  --service-account-signing-key-file pki/accounts.key --service-cluster-ip-range 10.96.0.0/16 \\
  --allow-privileged --profiling=false
START
run apiserver bash apiserver.sh
token=$(head -n 1 pki/tokens | cut -d , -f 1)
is_ready() { curl -sf --cacert pki/ca.crt -H "Authorization: Bearer $token" https://127.0.0.1:6443/readyz; }
wait_for apiserver is_ready

run controllers "$bin/kube" controllers --kubeconfig controllers.kubeconfig --secure-port 0 --leader-elect=false \
  --use-service-account-credentials --service-account-private-key-file pki/accounts.key --root-ca-file pki/ca.crt \
  --flex-volume-plugin-dir "$folder/plugins" --profiling=false
run scheduler "$bin/kube" scheduler --kubeconfig scheduler.kubeconfig --secure-port 0 --leader-elect=false \
  --profiling=false
