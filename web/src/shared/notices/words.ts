// Labels and icons of the kinds of notices and their groups: the one table for bell, page and settings.
import type { IconName } from "@/shared/theme/icon-shapes";
import type { NoticeGroup, NoticeKind } from "./api";

export const kindLooks: Readonly<Record<NoticeKind, { label: string; icon: IconName }>> = {
  worksheet_created: { label: "新工单", icon: "ticket" },
  worksheet_replied: { label: "工单有回复", icon: "ticket" },
  worksheet_state: { label: "工单状态改变", icon: "ticket" },
  worksheet_decided: { label: "申请批准或驳回", icon: "ticket" },
  worksheet_assigned: { label: "工单交给我处理", icon: "ticket" },
  finding: { label: "发现异常行为", icon: "shield" },
  instance_suspended: { label: "实例被暂停", icon: "pause" },
  instance_stopping: { label: "实例即将停止", icon: "clock" },
  instance_releasing: { label: "实例即将释放", icon: "clock" },
  instance_restarted: { label: "服务器重启后实例自动启动", icon: "restart" },
  card_fault: { label: "我用的显卡故障或恢复", icon: "gpu" },
  server_restarted: { label: "服务器重启", icon: "server" },
  server_draining: { label: "服务器停机维护", icon: "wrench" },
  server_given_up: { label: "服务器不再恢复", icon: "wrench" },
  clock: { label: "系统时间异常或恢复", icon: "clock" },
  backup: { label: "备份失败或恢复", icon: "save" },
  sign_in_tries: { label: "有人反复尝试登录", icon: "shield" },
  group_invited: { label: "邀请我加入用户组", icon: "users" },
  group_invitation_accepted: { label: "接受了组邀请", icon: "users" },
  group_invitation_declined: { label: "拒绝了组邀请", icon: "users" },
  group_left: { label: "成员退出用户组", icon: "users" },
  disk_near: { label: "空间快用完", icon: "folder" },
  disk_over: { label: "空间已用完", icon: "folder" },
  instance_frozen: { label: "实例被冻结", icon: "pause" },
  account_ending: { label: "账号即将到期或已到期", icon: "calendar" },
  quota_ending: { label: "临时配额即将到期或已到期", icon: "calendar" },
  departure: { label: "人员离开办完或有失败项", icon: "users" },
  group_folder_held: { label: "收回组文件夹", icon: "folder" },
  alert_firing: { label: "出现告警", icon: "alert" },
  alert_resolved: { label: "告警恢复", icon: "success" },
};

export const groupLabels: Readonly<Record<NoticeGroup, string>> = {
  worksheets: "工单",
  findings: "异常行为",
  instances: "我的实例",
  disk: "网盘",
  account: "账号安全",
  user_groups: "用户组",
  system: "系统运行",
};

export const isGroup = (text: string | undefined): text is NoticeGroup =>
  text !== undefined && Object.hasOwn(groupLabels, text);

export const kindOptions = Object.entries(kindLooks).map(([value, { label }]) => ({ value, label }));

export const groupOptions = Object.entries(groupLabels).map(([value, label]) => ({ value, label }));
