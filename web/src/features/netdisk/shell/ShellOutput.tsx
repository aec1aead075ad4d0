// Output of the commands. Full blocks are never rendered again.
import { memo } from "react";
import { formatCount } from "@/shared/lib/numbers";
import { useDisk } from "../disk-context";
import { Prompt } from "./Prompt";
import styles from "./ShellPanel.module.css";
import type { Block, Transcript } from "./transcript";

export function ShellOutput({ transcript: { blocks, omitted } }: { transcript: Transcript }) {
  return (
    <div role="log" aria-label="命令的输出">
      {blocks.length === 0 && <Welcome />}
      {omitted > 0 && <p className={styles.note}>更早的 {formatCount(omitted)} 行没有保留</p>}
      {blocks.map((block) => (
        <BlockView key={block.id} block={block} />
      ))}
    </div>
  );
}

const BlockView = memo(({ block: { kind, folder, lines } }: { block: Block }) => {
  const text = lines.join("\n");
  if (kind === "command")
    return (
      <div className={styles.command}>
        <Prompt folder={folder ?? ""} />
        {text}
      </div>
    );
  return <pre className={styles[kind]}>{text}</pre>;
});

/** Before the first command: which there are. */
function Welcome() {
  const { user } = useDisk();
  const commands = user?.commands ?? [];
  return (
    <p className={styles.note}>
      {commands.length > 0
        ? `可以运行：${commands.join("、")}。命令不经过 shell，管道、重定向和通配符不起作用。`
        : "管理员还没有为你开放任何命令。"}
    </p>
  );
}
