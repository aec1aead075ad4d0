// The line to paste on the server, and the same as a file to be read first.
import { Alert, Button } from "antd";
import { Icon } from "@/shared/theme/Icon";
import { Command } from "@/shared/ui/Command";
import { Panel } from "@/shared/ui/Panel";
import { saveFile } from "@/shared/ui/save-file";
import type { NewJoin } from "./api";
import styles from "./Join.module.css";

const FILE = "yunlab-join.sh";

export function JoinCommand({ made }: { made: NewJoin }) {
  const plain = made.portal.startsWith("http:");
  return (
    <Panel title="在服务器上运行" padded>
      <p className={styles.text}>
        登录 {made.host}，粘贴下面一行。命令只显示这一次，一小时内有效，只能添加这一台服务器。
      </p>
      <Command text={made.command} label="复制命令" />
      {plain && (
        <Alert
          type="warning"
          showIcon
          style={{ marginBottom: 12 }}
          title="平台没有使用 HTTPS：脚本有校验，不会被改动；但同一网络里的人可能看到口令。请在可信的网络里添加"
        />
      )}
      <p className={styles.text}>
        它会安装 Docker（发行版有的话）、在两边配好证书、打开 live-restore、挂载网盘、登记显卡，最后自动检测。
        正在运行的容器不会停。脚本用到 curl，没有的话先安装。
      </p>
      <details className={styles.more}>
        <summary>先下载，看过再运行</summary>
        <p className={styles.text}>
          <Button
            icon={<Icon name="download" size={14} />}
            onClick={() => saveFile(FILE, new Blob([made.script], { type: "text/x-shellscript" }))}
          >
            下载脚本
          </Button>
        </p>
        <p className={styles.text}>里面有口令，不要给别人。把它传到服务器上，先核对，再看看它会做什么：</p>
        <Command text={`echo "${made.sha256}  ${FILE}" | sha256sum -c -`} label="复制校验命令" />
        <Command text={`sudo sh ${FILE} --dry-run`} label="复制试运行命令" />
        <p className={styles.text}>没有问题就运行：</p>
        <Command text={`sudo sh ${FILE}`} label="复制运行命令" />
      </details>
    </Panel>
  );
}
