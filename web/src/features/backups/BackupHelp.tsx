// How to restore backups and how to back up the files: the commands, and links to the manual.
import { Command } from "@/shared/ui/Command";
import { Panel } from "@/shared/ui/Panel";
import type { BackupSettings } from "./api";
import styles from "./Backups.module.css";

const filesDone = "yunlab admin files-backed-up";

export function BackupHelp({ settings }: { settings: BackupSettings | undefined }) {
  const key = settings?.encrypted ? " --key 密钥文件" : "";
  return (
    <Panel title="怎样恢复和备份文件" padded>
      <div className={styles.help}>
        <p>恢复数据库：停止服务，在服务器上用相同版本的程序恢复到新的数据目录，再用它启动。</p>
        <HelpCommand text={`yunlab admin restore 备份文件${key} --data-dir 新的数据目录`} />
        <p>检查一份备份能不能用，不影响正在运行的平台：</p>
        <HelpCommand text={`yunlab admin verify-backup 备份文件${key} --data-dir 数据目录`} />
        {settings?.encrypted && <p>密钥要另存到别的机器：没有它，加密的备份谁也打不开。</p>}
        <p>
          网盘的文件不在这些备份里，用 restic 或快照备份。管理员手册“备份与恢复”里有现成的脚本和定时任务，
          成功之后由脚本告诉平台：
        </p>
        <HelpCommand text={filesDone} />
      </div>
    </Panel>
  );
}

function HelpCommand({ text }: { text: string }) {
  return <Command text={text} label={`复制命令 ${text}`} />;
}
