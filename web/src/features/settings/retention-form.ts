// The form of retention and forwarding: two parts of the settings, saved together.
import type { Settings } from "@/shared/api/settings";

export type RetentionForm = Pick<Settings, "retention" | "forwarding">;

export const retentionFormOf = ({ retention, forwarding }: Settings): RetentionForm => ({
  retention,
  forwarding,
});

export function retentionOf({ retention, forwarding }: RetentionForm): RetentionForm {
  const { syslog } = forwarding;
  return { retention, forwarding: { syslog: { ...syslog, host: syslog.host.trim() } } };
}

/** Names are the API's; a failed test's names lack the part. */
export const retentionFormName = (apiName: string): string[] =>
  apiName.includes(".") ? apiName.split(".") : ["forwarding", "syslog", apiName];

/** The ports that syslog servers listen on, by how they are spoken to. */
export const syslogPorts = { udp: 514, tcp: 601, tls: 6514 } as const;
