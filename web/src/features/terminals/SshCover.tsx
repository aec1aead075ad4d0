// Covers of an SSH terminal before its shell: the login, the question for an unknown host, the refusal of a host whose
// key has changed.
import type { Host } from "./api";
import { HostKeyChanged } from "./HostKeyChanged";
import { HostKeyQuestion } from "./HostKeyQuestion";
import type { Phase } from "./phase";
import styles from "./SshCover.module.css";
import { SshLogin } from "./SshLogin";
import type { Terminal } from "./sessions";

export const isCovered = (phase: Phase) =>
  phase.kind === "login" ||
  phase.kind === "connecting" ||
  phase.kind === "hostKey" ||
  (phase.kind === "over" && phase.changedKey !== undefined);

export function SshCover({ terminal: { id, phase }, host }: { terminal: Terminal; host: Host }) {
  return (
    <div className={styles.middle}>
      {phase.kind === "hostKey" && <HostKeyQuestion id={id} host={host} offered={phase} />}
      {phase.kind === "over" && phase.changedKey && (
        <HostKeyChanged id={id} host={host} words={phase.words} changed={phase.changedKey} />
      )}
      {/* Behind the question it keeps the name, and the password for a second try is typed anew. */}
      <div hidden={phase.kind === "hostKey" || phase.kind === "over"}>
        <SshLogin
          id={id}
          host={host}
          connecting={phase.kind === "connecting"}
          fault={phase.kind === "login" ? phase.fault : null}
        />
      </div>
    </div>
  );
}
