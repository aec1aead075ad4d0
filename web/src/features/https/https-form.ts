// Conversion of the form of HTTPS to the API.
import type { HttpsForm, HttpsOverview, HttpsWay } from "./api";

export interface HttpsFields {
  way: HttpsWay;
  /** One per line. */
  names: string;
  port: number | null;
  redirect: boolean;
  directory: string;
  email: string;
  caCertificate: string;
  eabKeyId: string;
  eabKey: string;
}

export const ways: readonly { value: HttpsWay; title: string; note: string }[] = [
  {
    value: "acme",
    title: "自动申请公开的证书（ACME）",
    note: "有公网域名，且公网能访问 80 端口。浏览器直接信任，免费，自动续期",
  },
  {
    value: "lab_ca",
    title: "实验室自己的 CA",
    note: "只在内网使用，没有公网域名也行，IP 地址也行。每台电脑要安装一次 CA",
  },
  {
    value: "off",
    title: "平台不管证书",
    note: "证书文件写在配置里，或者由前面的反向代理提供 HTTPS",
  },
];

const lines = (text: string) => text.split(/[\s,，、;；]+/).filter((line) => line !== "");

/** The name in the page's own URL is the likeliest one. */
const ownName = () => (location.hostname === "localhost" ? "" : location.hostname.replace(/^\[|\]$/g, ""));

export const fieldsOf = (now: HttpsOverview): HttpsFields => ({
  way: now.way,
  names: now.names.length > 0 ? now.names.join("\n") : ownName(),
  port: now.port ?? null,
  redirect: now.redirect,
  directory: now.directory,
  email: now.email,
  caCertificate: now.caCertificate,
  eabKeyId: now.eabKeyId,
  eabKey: "",
});

/** `keep`: an empty field leaves the key that is stored. */
export function formOf({ eabKey, names, ...rest }: HttpsFields, keep: boolean): HttpsForm {
  const body = { ...rest, names: rest.way === "off" && names === ownName() ? [] : lines(names) };
  return eabKey === "" && keep ? body : { ...body, eabKey };
}
