// Files of the same names are there already: replace them, keep both, or skip the upload; asked once for all that are
// known. Enter replaces, Escape skips.
import { Button, Checkbox, Flex, Modal } from "antd";
import { useState } from "react";
import touch from "@/shared/form/TouchChoice.module.css";
import { formatCount } from "@/shared/lib/numbers";
import { Icon } from "@/shared/theme/Icon";
import { nameOf, parentOf, shownName } from "../disk-paths";
import type { Conflict, Decision } from "../uploads/queue";
import { ConflictRow } from "./ConflictRow";
import styles from "./ReplacePrompt.module.css";

/** More of them are decided about, but not shown. */
const mostShown = 200;

interface ReplacePromptProps {
  host: string;
  conflicts: readonly Conflict[];
  /** More files are under way that may meet the same. */
  several: boolean;
  onDecide: (decision: Decision, about: "all" | ReadonlySet<string>) => void;
}

export function ReplacePrompt({ host, conflicts, several, onDecide }: ReplacePromptProps) {
  const [forAll, setForAll] = useState(false);
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [only] = conflicts;
  const many = conflicts.length > 1;
  const chosen = conflicts.filter(({ job }) => !left.has(job));
  const title = many
    ? `替换 ${formatCount(conflicts.length)} 个同名文件？`
    : `替换 ${shownName(nameOf(only?.path ?? ""))}？`;

  function decide(decision: Decision) {
    const all = many ? chosen.length === conflicts.length : forAll;
    onDecide(decision, all ? "all" : new Set(chosen.map(({ job }) => job)));
    setLeft(new Set());
  }

  function toggle(job: string) {
    const next = new Set(left);
    if (!next.delete(job)) next.add(job);
    setLeft(next);
  }

  const none = chosen.length === 0;
  return (
    <Modal
      open
      title={title}
      width={560}
      closeIcon={<Icon name="close" />}
      mask={{ closable: false }}
      onCancel={() => onDecide("skip", many || forAll ? "all" : new Set(chosen.map(({ job }) => job)))}
      footer={
        <Flex gap={8} justify="end" align="center">
          {many && (
            <span className={styles.chosen} aria-live="polite">
              已选 {formatCount(chosen.length)} 个
            </span>
          )}
          <Button disabled={none} onClick={() => decide("skip")}>
            跳过
          </Button>
          <Button disabled={none} onClick={() => decide("both")}>
            保留两者
          </Button>
          <Button type="primary" autoFocus disabled={none} onClick={() => decide("overwrite")}>
            覆盖
          </Button>
        </Flex>
      }
    >
      <Flex vertical gap={12}>
        <div>
          {many ? "目标文件夹" : shownName(parentOf(only?.path ?? ""))}{" "}
          里已有同名的文件。覆盖后原来的内容不能找回；保留两者会给新上传的加上序号；跳过则不上传。
          {many && "没有勾选的稍后再问。"}
        </div>
        <ul className={styles.rows} aria-label="同名的文件">
          {conflicts.slice(0, mostShown).map((conflict) => (
            <ConflictRow
              key={conflict.job}
              host={host}
              conflict={conflict}
              chosen={many ? !left.has(conflict.job) : undefined}
              onToggle={() => toggle(conflict.job)}
            />
          ))}
        </ul>
        {conflicts.length > mostShown && (
          <div>还有 {formatCount(conflicts.length - mostShown)} 个没有列出，同样处理。</div>
        )}
        {!many && several && (
          <Checkbox
            className={touch.choice ?? ""}
            checked={forAll}
            onChange={(event) => setForAll(event.target.checked)}
          >
            其余的同名文件也这样处理
          </Checkbox>
        )}
      </Flex>
    </Modal>
  );
}
