// The form of 邮件通知, its labels, and its conversion to the API's body.
import type { MailForm, MailReport, MailSettings } from "./api";

export interface MailFields {
  enabled: boolean;
  host: string;
  port: number | null;
  security: MailForm["security"];
  username: string;
  password: string;
  from: string;
  fromName: string;
  caCertificate: string;
  kinds: MailForm["kinds"];
  /** The recipient of a test; not stored. */
  to: string;
}

/** With the usual port of each. */
export const securities: readonly { value: MailForm["security"]; label: string; port: number }[] = [
  { value: "tls", label: "TLS（端口多为 465）", port: 465 },
  { value: "starttls", label: "STARTTLS（端口多为 587）", port: 587 },
  { value: "none", label: "不加密（仅限内网中继）", port: 25 },
];

/** The usual port of this security, unless the user entered an unusual one. */
export function portFor(security: MailForm["security"], now: number | null): number | null {
  const usual = securities.find(({ value }) => value === security)?.port ?? now;
  return now === null || securities.some(({ port }) => port === now) ? usual : now;
}

export const mailStepTitles: Readonly<Record<MailReport["steps"][number]["step"], string>> = {
  resolve: "查找主机",
  connect: "连接",
  tls: "加密",
  login: "登录",
  accept: "收下邮件",
};

export const mailFieldsOf = (now: MailSettings): MailFields => ({
  enabled: now.enabled,
  host: now.host,
  port: now.port,
  security: now.security,
  username: now.username,
  password: "",
  from: now.from,
  fromName: now.fromName,
  caCertificate: now.caCertificate,
  kinds: now.kinds,
  to: "",
});

/** `keep`: an empty field leaves the password that is stored. */
export function mailOf({ password, to: _, port, ...rest }: MailFields, keep: boolean): MailForm {
  // Without a port, the server reports the fault.
  const body = { ...rest, port: port ?? 0 };
  return password === "" && keep ? body : { ...body, password };
}
