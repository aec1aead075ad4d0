// The first steps of a new lab, for its administrators.
import { useQuery } from "@tanstack/react-query";
import { useSession } from "@/shared/stores/session";
import { firstStepsQuery, type LabStep } from "./api";
import { type FirstStep, FirstSteps } from "./FirstSteps";

type Words = Readonly<Record<LabStep, Omit<FirstStep, "done">>>;

/** `username`: the reader's. */
const wordsFor = (username: string): Words => ({
  password: {
    title: "改掉初始密码",
    note: "现在的密码是程序或别的管理员给的，请换成自己的",
    to: "/profile/password",
    command: {
      note: "忘了密码，在平台的服务器上得到新的",
      line: `sudo yunlab admin reset-password ${username}`,
    },
  },
  https: {
    title: "打开 HTTPS",
    note: "自动申请公开的证书，或者用实验室自己的 CA；没有它，密码在网络上不加密",
    to: "/settings/https",
    command: {
      note: "用实验室自己的 CA，也可以在平台的服务器上生成",
      line: `sudo yunlab admin ca init ${location.hostname}`,
    },
  },
  server: {
    title: "添加服务器",
    note: "装有 Docker 的本机会自动出现；其他服务器在这里添加，得到一行在它上面运行的命令，之后会逐项检测",
    to: "/servers/server_join",
    command: { note: "没有出现时，在平台的服务器上检查", line: "sudo yunlab admin doctor" },
  },
  cards: {
    title: "登记显卡",
    note: "NVIDIA 显卡自动识别；昇腾等其他显卡在服务器的“显卡”里按设备节点登记",
    to: "/servers/server_manage",
    command: { note: "NVIDIA 显卡没有出现时，在那台服务器上看驱动是否正常", line: "nvidia-smi -L" },
  },
  allocation: {
    title: "分配服务器",
    note: "决定谁可以用哪些卡，可以先分配给所有人",
    to: "/servers/server_allocation",
  },
  images: {
    title: "准备镜像",
    note: "没有 Docker Hub 也行：镜像加速、导入、实验室自己的仓库，有几种办法",
    to: "/images/image_prepare",
    command: { note: "在服务器上看已经有哪些镜像", line: "docker images" },
  },
  people: {
    title: "添加用户",
    note: "粘贴一张表批量创建，或者在“认证设置”里接入 LDAP 目录",
    to: "/users/user_list",
  },
  notices: {
    title: "打开通知",
    note: "工单、故障等消息可以发到群机器人或邮箱",
    to: "/settings/basic_setting",
  },
  backup: {
    title: "备份数据库",
    note: "每天自动备份，第一次在一小时之后；也可以现在就备份，并看看备份放在哪里",
    to: "/settings/backups",
    command: {
      note: "也可以在平台的服务器上备份成一个文件",
      line: "sudo yunlab admin backup yunlab.tar.zst",
    },
  },
});

export function LabFirstSteps() {
  const { username } = useSession();
  const { data } = useQuery(firstStepsQuery);
  // Hidden while it is unknown or failed: the page works without it.
  if (!data) return null;
  const words = wordsFor(username);
  // Once there are servers, they are what the page is for.
  const folded = data.items.some(({ step, done }) => step === "server" && done);
  return (
    <FirstSteps folded={folded} steps={data.items.map(({ step, done }) => ({ ...words[step], done }))} />
  );
}
