// A numbered block of the page, and a labelled row in it with the fault that the server found there.
import type { ReactNode } from "react";
import { Panel } from "@/shared/ui/Panel";
import styles from "./Block.module.css";

interface BlockProps {
  number: number;
  title: string;
  extra?: ReactNode;
  children: ReactNode;
}

export function Block({ number, title, extra, children }: BlockProps) {
  return (
    <Panel
      title={
        <>
          <span className={styles.number} aria-hidden="true">
            {number}
          </span>
          {title}
        </>
      }
      extra={extra}
    >
      {children}
    </Panel>
  );
}

interface ChoiceProps {
  label: string;
  note?: ReactNode;
  fault?: string | undefined;
  children: ReactNode;
}

/** The text is beside the controls, which have names of their own. */
export function Choice({ label, note, fault, children }: ChoiceProps) {
  return (
    <div className={styles.choice}>
      <span className={styles.label}>{label}</span>
      <div className={styles.field}>
        {children}
        {note && <div className={styles.note}>{note}</div>}
        <Fault>{fault}</Fault>
      </div>
    </div>
  );
}

export function Fault({ children }: { children: string | undefined }) {
  return (
    <div role="alert" className={styles.fault}>
      {children}
    </div>
  );
}
