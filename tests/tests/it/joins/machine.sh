# The first process of a machine of its own: its /etc, /run and Docker's data are not the test's. $1: a folder with
# programs in bin; $2: the bridge for Docker.
set -e
mkdir -p "$1/own"
mount -t tmpfs tmpfs "$1/own"
mkdir "$1/own/etc" "$1/own/work"
mount -t overlay overlay -o "lowerdir=/etc,upperdir=$1/own/etc,workdir=$1/own/work" /etc
mount -t tmpfs tmpfs /run
mkdir -p /var/lib/docker
mount -t tmpfs tmpfs /var/lib/docker
rm -rf /etc/docker
mkdir /etc/docker
cat >/etc/docker/daemon.json <<JSON
{
  "bridge": "$2",
  "iptables": false, "ip6tables": false,
  "log-opts": { "max-size": "10m", "tag": "a,{b}" }
}
JSON
cat >/etc/test-docker.service <<UNIT
[Service]
ExecStart=/usr/sbin/dockerd -H unix:///var/run/docker.sock \\
    --pidfile /run/docker.pid \$DOCKER_OPTS
UNIT
PATH=$1/bin:$PATH
systemctl restart docker || {
    cat /run/dockerd.log
    exit 1
}
touch "$1/ready"
exec tail -f /dev/null
