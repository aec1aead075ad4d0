// The form of 消息通知, its labels, and its conversion to the API's body.
import type { WebhookForm, WebhookReport, WebhookSettings } from "./api";

export interface NoticeForm {
  enabled: boolean;
  format: WebhookForm["format"];
  address: string;
  secret: string;
  events: WebhookForm["events"];
}

export const formats: readonly { value: WebhookForm["format"]; label: string; example: string }[] = [
  {
    value: "wecom",
    label: "企业微信群机器人",
    example: "https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=…",
  },
  {
    value: "dingtalk",
    label: "钉钉群机器人",
    example: "https://oapi.dingtalk.com/robot/send?access_token=…",
  },
  { value: "feishu", label: "飞书群机器人", example: "https://open.feishu.cn/open-apis/bot/v2/hook/…" },
  { value: "json", label: "自己的程序（JSON）", example: "http://10.0.0.5:8080/hook" },
];

export const eventOptions: { value: WebhookForm["events"][number]; label: string }[] = [
  { value: "worksheet_created", label: "新工单" },
  { value: "worksheet_replied", label: "工单有回复" },
  { value: "worksheet_state", label: "工单状态改变" },
  { value: "worksheet_decided", label: "申请批准或驳回" },
  { value: "finding", label: "发现异常行为" },
  { value: "alert_firing", label: "出现告警" },
  { value: "alert_resolved", label: "告警恢复" },
];

export const stepTitles: Readonly<Record<WebhookReport["steps"][number]["step"], string>> = {
  resolve: "查找主机",
  connect: "连接",
  tls: "加密",
  status: "应答",
  answer: "对方的回复",
};

/** Group robots of 企业微信 take no secret: their address is all. */
export const takesSecret = (format: NoticeForm["format"] | undefined): boolean => format !== "wecom";

export const noticeFormOf = ({ enabled, format, address, events }: WebhookSettings): NoticeForm => ({
  enabled,
  format,
  address,
  secret: "",
  events,
});

/** `keep`: an empty field leaves the secret that is stored. */
export function webhookOf(form: NoticeForm, keep: boolean): WebhookForm {
  const { secret, address, ...rest } = form;
  const body = { ...rest, address: address.trim() };
  return secret === "" && keep ? body : { ...body, secret };
}
