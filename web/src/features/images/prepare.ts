// The ways to a lab's first images, with their commands.

interface Step {
  note: string;
  command?: string;
}

interface Way {
  title: string;
  /** When to take it. */
  when: string;
  steps: readonly Step[];
}

export const ways: readonly Way[] = [
  {
    title: "用镜像加速站拉取",
    when: "服务器能访问学校或云厂商的镜像加速站时，最省事。",
    steps: [
      {
        note: "在 /etc/docker/daemon.json 里加上加速站的地址（已有的设置保留）：",
        command: '{\n  "registry-mirrors": ["https://加速站的地址"]\n}',
      },
      {
        note: "重新载入 Docker，实例不受影响：",
        command: "systemctl reload docker",
      },
      {
        note: "然后在“镜像管理”里拉取，例如 pytorch/pytorch:2.9.0-cuda12.8-cudnn9-runtime。也可以在服务器上拉取：",
        command: "docker pull pytorch/pytorch:2.9.0-cuda12.8-cudnn9-runtime",
      },
    ],
  },
  {
    title: "从别的机器拷过来",
    when: "有一台能上网的电脑（装有 Docker），服务器完全不能上网时。",
    steps: [
      {
        note: "在能上网的电脑上拉取并存成文件。处理器架构要和服务器相同：",
        command:
          "docker pull --platform linux/amd64 nvidia/cuda:12.8.1-cudnn-devel-ubuntu24.04\ndocker save nvidia/cuda:12.8.1-cudnn-devel-ubuntu24.04 | gzip > cuda.tar.gz",
      },
      {
        note: "拷到服务器（U 盘、scp，或传到网盘），在服务器上载入：",
        command: "gunzip -c cuda.tar.gz | docker load",
      },
      { note: "创建实例时在“服务器上”选它。每台要用它的服务器都要载入一次。" },
    ],
  },
  {
    title: "从一个系统目录做镜像",
    when: "只要一个干净的 Debian 或 Ubuntu，能访问软件源的镜像站就行，不需要任何镜像仓库。",
    steps: [
      {
        note: "用 debootstrap 装一个最小系统（换成离你近的镜像站）：",
        command:
          "apt-get install -y debootstrap\ndebootstrap --variant=minbase trixie /tmp/rootfs http://mirrors.ustc.edu.cn/debian",
      },
      {
        note: "导入为镜像：",
        command:
          "tar -C /tmp/rootfs -c . | docker import --change 'CMD [\"/bin/bash\"]' - lab/debian:13 && rm -rf /tmp/rootfs",
      },
      { note: "用它创建一个实例，装好环境，再“另存为镜像”分享给大家。" },
    ],
  },
  {
    title: "实验室自己的镜像仓库",
    when: "有几台服务器时：镜像只准备一次，所有服务器都能拉取，大家在“公共镜像库”里挑选。",
    steps: [
      {
        note: "在一台机器上运行仓库（镜像 registry:2 可以用上面的办法拷过来；也可以用 Debian 的软件包 docker-registry）：",
        command:
          "docker run -d --restart=always --name registry -p 5000:5000 -v /srv/registry:/var/lib/registry registry:2",
      },
      {
        note: "仓库没有 HTTPS 时，每台服务器的 /etc/docker/daemon.json 里要写明，然后重新载入 Docker：",
        command: '{\n  "insecure-registries": ["10.0.0.5:5000"]\n}',
      },
      {
        note: "把镜像推进去：",
        command:
          "docker tag pytorch/pytorch:2.9.0-cuda12.8-cudnn9-runtime 10.0.0.5:5000/lab/pytorch:2.9\ndocker push 10.0.0.5:5000/lab/pytorch:2.9",
      },
      { note: "在“基本设置”的“公共镜像库”里填写 http://10.0.0.5:5000，所有人创建实例时就能从里面选。" },
    ],
  },
];
