// The commands of adding a server by hand, for a host.

interface ManualStep {
  title: string;
  note: string;
  commands: readonly string[];
}

/** Characters of a host name or an address; anything else is shown as to be replaced. */
const isHost = (host: string) => /^[A-Za-z0-9.:-]{1,253}$/.test(host);

const isIpv6 = (host: string) => host.includes(":");

const isAddress = (host: string) => /^[\d.]+$/.test(host) || isIpv6(host);

const authority = [
  "mkdir -p ~/yunlab-certs && cd ~/yunlab-certs && umask 077",
  "openssl ecparam -name prime256v1 -genkey -noout -out ca-key.pem",
  "openssl req -new -x509 -sha256 -days 3650 -key ca-key.pem -subj '/CN=docker-ca' -out ca.pem",
].join("\n");

const server = (host: string) =>
  [
    "openssl ecparam -name prime256v1 -genkey -noout -out server-key.pem",
    "openssl req -new -sha256 -key server-key.pem -subj '/CN=docker' -out server.csr",
    `printf 'subjectAltName=${isAddress(host) ? "IP" : "DNS"}:${host}\\nextendedKeyUsage=serverAuth\\n' > server.ext`,
    "openssl x509 -req -sha256 -days 3650 -in server.csr -CA ca.pem -CAkey ca-key.pem -CAcreateserial -extfile server.ext -out server.pem",
  ].join("\n");

const client = [
  "openssl ecparam -name prime256v1 -genkey -noout | openssl pkcs8 -topk8 -nocrypt -out client-key.pem",
  "openssl req -new -sha256 -key client-key.pem -subj '/CN=yunlab' -out client.csr",
  "printf 'extendedKeyUsage=clientAuth\\n' > client.ext",
  "openssl x509 -req -sha256 -days 3650 -in client.csr -CA ca.pem -CAkey ca-key.pem -CAcreateserial -extfile client.ext -out client.pem",
].join("\n");

const daemon = (host: string) => `{
  "hosts": ["fd://", "tcp://${isIpv6(host) ? "[::]" : "0.0.0.0"}:2376"],
  "tlsverify": true,
  "tlscacert": "/etc/docker/yunlab/ca.pem",
  "tlscert": "/etc/docker/yunlab/server.pem",
  "tlskey": "/etc/docker/yunlab/server-key.pem",
  "live-restore": true
}`;

export function manualSteps(entered: string): readonly ManualStep[] {
  const host = isHost(entered) ? entered : "服务器地址";
  const reached = isIpv6(host) ? `[${host}]:2376` : `${host}:2376`;
  return [
    {
      title: "安装 Docker",
      note: "Debian、Ubuntu 用前一条；RHEL 系列先添加 docker-ce 的软件源（各高校镜像站都有），再用后一条。",
      commands: ["apt-get install -y docker.io", "dnf install -y docker-ce && systemctl enable --now docker"],
    },
    {
      title: "生成证书",
      note: "依次是 CA、服务器证书（只对这个地址有效）、平台用的客户端证书。",
      commands: [authority, server(host), client],
    },
    {
      title: "放好服务器的证书",
      note: "私钥只给 root 读。",
      commands: [
        "install -d -m 700 /etc/docker/yunlab && install -m 600 ca.pem server.pem server-key.pem /etc/docker/yunlab/",
      ],
    },
    {
      title: "修改 /etc/docker/daemon.json",
      note: "已有的设置保留，加上下面这些。live-restore 让 Docker 重启时实例不停。",
      commands: [daemon(host)],
    },
    {
      title: "去掉单元文件里的 -H",
      note: "Debian、Ubuntu 和 docker-ce 的 docker.service 里有 -H fd://，和 daemon.json 的 hosts 冲突，Docker 会起不来。",
      commands: [
        `mkdir -p /etc/systemd/system/docker.service.d && printf '[Service]\\nExecStart=\\nExecStart=%s --containerd=/run/containerd/containerd.sock\\n' "$(command -v dockerd)" > /etc/systemd/system/docker.service.d/yunlab.conf`,
        "systemctl daemon-reload && systemctl reload docker; systemctl restart docker",
      ],
    },
    {
      title: "挂载网盘",
      note: "必须和平台用的是同一个共享。把地址换成实验室的 NFS 服务器，它要允许这台服务器以 root 读写（no_root_squash）。nosuid 让实例里留下的 setuid 程序在服务器上不起作用。",
      commands: [
        "apt-get install -y nfs-common   # RHEL 系列：dnf install -y nfs-utils",
        "mkdir -p /mnt/yunlab && echo '10.0.0.5:/srv/yunlab /mnt/yunlab nfs defaults,hard,nosuid,_netdev,nofail 0 0' >> /etc/fstab && mount /mnt/yunlab",
      ],
    },
    {
      title: "显卡",
      note: "NVIDIA 显卡要装驱动和 nvidia-container-toolkit，平台会自动发现显卡。没有显卡就跳过。",
      commands: ["nvidia-ctk runtime configure --runtime=docker && systemctl restart docker"],
    },
    {
      title: "放行端口",
      note: "只给平台的机器放行更好。",
      commands: [
        "ufw allow 2376/tcp   # 或 firewall-cmd --permanent --add-port=2376/tcp && firewall-cmd --reload",
      ],
    },
    {
      title: "试一下",
      note: "没有客户端证书应当被拒绝，有证书应当显示 OK。",
      commands: [
        `curl --cacert ca.pem https://${reached}/_ping`,
        `curl --cacert ca.pem --cert client.pem --key client-key.pem https://${reached}/_ping`,
      ],
    },
    {
      title: "在平台填写",
      note: `引擎地址是 tcp://${reached}，三个框分别粘贴 ca.pem、client.pem、client-key.pem 的内容。ca-key.pem 收好，以后换证书要用。`,
      commands: ["cat ca.pem client.pem client-key.pem"],
    },
  ];
}
