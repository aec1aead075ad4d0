// The form of the security settings: lists are texts with one entry per line.
import type { Settings } from "@/shared/api/settings";

type SecuritySettings = Settings["security"];

export interface SecurityForm extends Omit<SecuritySettings, "linkHosts" | "allowedRegistries"> {
  linkHosts: string;
  allowedRegistries: string;
}

const entries = (lines: string) => [
  ...new Set(
    lines
      .split("\n")
      .map((line) => line.trim())
      .filter(Boolean),
  ),
];

export const securityFormOf = (security: SecuritySettings): SecurityForm => ({
  ...security,
  linkHosts: security.linkHosts.join("\n"),
  allowedRegistries: security.allowedRegistries.join("\n"),
});

export const securityOf = (form: SecurityForm): SecuritySettings => ({
  ...form,
  linkHosts: entries(form.linkHosts),
  allowedRegistries: entries(form.allowedRegistries),
});

/** `security.hstsDays` is `hstsDays` here. */
export const securityFormName = (apiName: string): string[] => apiName.split(".").slice(1);
