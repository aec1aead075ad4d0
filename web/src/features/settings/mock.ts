// The settings of a server for tests, typed by the contract.
import type { Settings } from "@/shared/api/settings";
import type { MailSettings, WebhookSettings } from "./api";

const GB = 1024 ** 3;

export const settings: Settings = {
  basic: {
    productName: "云实验室",
    storageHost: "/disk",
    baseUrl: "",
    internalBaseUrl: "",
    publicImageUrl: "",
    faqLink: "",
    thanksText: "致谢",
    thanksLink: "",
    copyright: "",
    minerNotice: "",
    defaultQuotas: {
      instanceLimit: 3,
      instanceLimitOffset: 0,
      GPUNumlimit: 4,
      CPUPeriodQuota: 3_200_000,
      memoryLimit: 256 * GB,
      diskQuota: 500 * GB,
    },
    idleMinutes: 120,
    idleStopMinutes: 0,
    keepDays: 14,
    portRange: { from: 20_000, to: 29_999 },
  },
  authentication: {
    local: { allowUnderscore: false, sessionHours: 24, signInDays: 30, idleMinutes: 0 },
    ldap: {
      enabled: false,
      url: "",
      startTls: false,
      caCertificate: "",
      bindDn: "cn=reader",
      bindPassword: "",
      bindPasswordSet: true,
      searches: [{ base: "ou=people", filter: "(uid={username})" }],
      attributes: { username: "uid", name: "cn", email: "mail", phone: "mobile" },
      groupMapping: [],
      createUsers: true,
    },
  },
  watch: {
    enabled: true,
    action: "record",
    names: [],
    strings: [],
    ports: [],
    allowedUsers: [],
    allowedImages: [],
  },
};

export const webhook: WebhookSettings = {
  enabled: false,
  address: "",
  format: "wecom",
  secretSet: false,
  events: ["worksheet_created", "worksheet_replied", "worksheet_state", "worksheet_decided", "finding"],
  waiting: 0,
  failed: 0,
  last: null,
  faults: [],
};

export const mail: MailSettings = {
  enabled: false,
  host: "",
  port: 465,
  security: "tls",
  username: "",
  passwordSet: false,
  from: "",
  fromName: "",
  caCertificate: "",
  kinds: [
    "worksheet_created",
    "worksheet_replied",
    "worksheet_state",
    "worksheet_decided",
    "worksheet_assigned",
    "finding",
    "instance_suspended",
  ],
  waiting: 0,
  failed: 0,
  last: null,
  faults: [],
};
