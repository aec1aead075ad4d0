// Descriptions of the scopes of access tokens.
import type { components } from "@/shared/api/portal";

export type Scope = components["schemas"]["Scope"];

interface ScopeText {
  value: Scope;
  label: string;
  note: string;
}

export const scopes: readonly ScopeText[] = [
  { value: "read", label: "只读", note: "查看我能看到的一切，下载文件，不能修改" },
  { value: "files", label: "网盘", note: "上传、下载、移动、删除、分享" },
  { value: "compute", label: "计算", note: "实例和终端、镜像、数据集，查看服务器和显卡" },
  { value: "all", label: "全部", note: "脚本能做的一切，包括工单；密码和令牌除外" },
  { value: "admin", label: "管理员", note: "以管理员的身份做上面选中的事" },
];

export const scopeLabel = (scope: Scope): string =>
  scopes.find(({ value }) => value === scope)?.label ?? scope;
