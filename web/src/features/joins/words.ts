// Labels of the steps of adding a server, their outcomes, and advice for failed ones.
import type { IconName } from "@/shared/theme/icon-shapes";
import type { StateTone } from "@/shared/ui/StateText";
import type { JoinState, JoinStep, StepOutcome } from "./api";

interface Look {
  label: string;
  icon: IconName;
  tone: StateTone;
}

export const stateLooks: Readonly<Record<JoinState, Look>> = {
  waiting: { label: "等待运行", icon: "clock", tone: "info" },
  running: { label: "正在添加", icon: "running", tone: "info" },
  done: { label: "已添加", icon: "success", tone: "success" },
  failed: { label: "没有成功", icon: "fault", tone: "error" },
  withdrawn: { label: "已作废", icon: "ban", tone: "off" },
};

export const outcomeLooks: Readonly<Record<StepOutcome | "pending", Look>> = {
  pending: { label: "等待", icon: "minus", tone: "off" },
  running: { label: "进行中", icon: "running", tone: "info" },
  passed: { label: "完成", icon: "success", tone: "success" },
  warning: { label: "注意", icon: "alert", tone: "warning" },
  failed: { label: "失败", icon: "fault", tone: "error" },
  skipped: { label: "跳过", icon: "minus", tone: "off" },
};

interface Step {
  step: JoinStep;
  title: string;
  /** The advice when it failed. */
  cure: string;
}

export const steps: readonly Step[] = [
  {
    step: "begin",
    title: "查看系统，取得证书",
    cure: "确认服务器能访问平台地址、时间正确，再运行一次同一条命令。",
  },
  {
    step: "docker",
    title: "安装 Docker",
    cure: "服务器的软件源里要有 docker.io 或 docker-ce。添加软件源或手动装好 Docker 后，再运行一次同一条命令。",
  },
  {
    step: "disk",
    title: "挂载网盘",
    cure: "确认 NFS 服务器允许这台机器以 root 读写（no_root_squash）、路径没有写错。改了路径要重新生成命令。",
  },
  {
    step: "engine",
    title: "Docker 用证书监听，打开 live-restore",
    cure: "脚本已恢复原来的配置。按提示改正 /etc/docker/daemon.json 后，再运行一次同一条命令。",
  },
  { step: "cards", title: "查看显卡", cure: "在服务器上运行 nvidia-smi，确认驱动正常。" },
  {
    step: "connect",
    title: "平台连接服务器并登记",
    cure: "多半是防火墙：放行引擎端口，再运行一次同一条命令。地址写错了要重新生成命令。",
  },
  { step: "check", title: "检测", cure: "在服务器页面点“检测”再试。" },
];
