// The steps from the request to the running instance: which are done, how long they took, and the present one.
import type { InstanceDetail, InstanceState } from "@/shared/compute/api";
import { instanceStates, isStopped, pullPercent } from "@/shared/compute/instance-state";
import { memoryText, secondsBetween, spanText, whenText } from "@/shared/compute/text";
import { Icon } from "@/shared/theme/Icon";
import type { IconName } from "@/shared/theme/icon-shapes";
import { Panel } from "@/shared/ui/Panel";
import styles from "./Steps.module.css";

const steps: readonly { state: InstanceState; label: string }[] = [
  { state: "queued", label: "排队" },
  { state: "preparing", label: "拉取镜像" },
  { state: "creating", label: "创建" },
  { state: "starting", label: "启动" },
  { state: "running", label: "可访问" },
];

type Standing = "done" | "now" | "ahead" | "failed";

export interface Step {
  label: string;
  standing: Standing;
  note: string;
}

/** The last run through the steps; earlier ones are in the history. */
export function stepsOf(instance: InstanceDetail, now = new Date()): Step[] {
  const { history, state } = instance;
  const run = history.slice(
    Math.max(
      0,
      history.findLastIndex((entry) => entry.state === "queued"),
    ),
  );
  const failed = state === "error";
  const reached = steps.findLastIndex((step) => run.some((entry) => entry.state === step.state));
  return steps.map(({ state: step, label }, index) => {
    const at = run.findIndex((entry) => entry.state === step);
    const entry = run[at];
    const next = run[at + 1];
    if (!entry) return { label, standing: index < reached ? "done" : "ahead", note: "" };
    if (step === "running") {
      return { label, standing: state === "running" ? "done" : "ahead", note: whenText(entry.time, now) };
    }
    const took = spanText(secondsBetween(entry.time, next?.time ?? now));
    if (state === step) return { label, standing: "now", note: pullText(instance) || took };
    return { label, standing: failed && index === reached ? "failed" : "done", note: took };
  });
}

/** 63% · 8.4 GB / 13.4 GB */
function pullText(instance: InstanceDetail): string {
  const percent = pullPercent(instance);
  if (instance.state !== "preparing" || percent === undefined || !instance.pull) return "";
  return `${percent}% · ${memoryText(instance.pull.current)} / ${memoryText(instance.pull.total)}`;
}

const icons: Record<Standing, IconName> = {
  done: "success",
  now: "progress",
  ahead: "minus",
  failed: "fault",
};

const words: Record<Standing, string> = { done: "已完成", now: "进行中", ahead: "未开始", failed: "失败" };

export function Steps({ instance }: { instance: InstanceDetail }) {
  // Once it is stopped, its start is of no interest.
  if (isStopped(instance) && instance.state !== "error") return null;
  if (instance.state === "stopping" || instance.state === "releasing") {
    const { label, icon } = instanceStates[instance.state];
    return (
      <Panel label="进度">
        <div className={styles.single} aria-live="polite">
          <Icon name={icon} spin /> {label}
        </div>
      </Panel>
    );
  }
  const percent = instance.state === "preparing" ? pullPercent(instance) : undefined;
  return (
    <Panel label="进度">
      <ol className={styles.steps} aria-live="polite">
        {stepsOf(instance).map(({ label, standing, note }) => (
          <li
            key={label}
            className={styles[standing]}
            aria-label={`${label}：${words[standing]}${note && `，${note}`}`}
            aria-current={standing === "now" ? "step" : undefined}
          >
            <Icon name={icons[standing]} spin={standing === "now"} />
            <span>
              {label}
              <small>{note}</small>
            </span>
          </li>
        ))}
      </ol>
      {percent !== undefined && (
        <div
          className={styles.bar}
          role="progressbar"
          aria-label="拉取镜像"
          aria-valuenow={percent}
          aria-valuemin={0}
          aria-valuemax={100}
        >
          <i style={{ width: `${percent}%` }} />
        </div>
      )}
    </Panel>
  );
}
