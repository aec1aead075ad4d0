// The same by hand, command by command: for administrators who prefer that, and for systems that the script does not
// support.
import { Input } from "antd";
import { useState } from "react";
import { LinkButton } from "@/shared/frame/LinkButton";
import { Command } from "@/shared/ui/Command";
import { Panel } from "@/shared/ui/Panel";
import styles from "./Join.module.css";
import { manualSteps } from "./manual";

export function ManualSteps() {
  const [host, setHost] = useState("");
  return (
    <Panel title="手工添加" padded>
      <p className={styles.text}>
        都在服务器上用 root 运行，第 2 步的证书也可以在自己的电脑上生成。填写服务器地址，下面的命令会跟着变：
      </p>
      <Input
        aria-label="服务器地址"
        value={host}
        placeholder="例如 10.0.0.7 或 gpu-a02.lab.cn"
        style={{ maxWidth: 320, marginBottom: 16 }}
        spellCheck={false}
        onChange={(event) => setHost(event.target.value.trim())}
      />
      <ol className={styles.manual}>
        {manualSteps(host).map(({ title, note, commands }) => (
          <li key={title}>
            <p className={styles.text}>
              <b>{title}</b>。{note}
            </p>
            {commands.map((command) => (
              <Command key={command} text={command} label={`复制命令：${title}`} />
            ))}
          </li>
        ))}
      </ol>
      <LinkButton type="primary" to="/servers/server_manage?panel=new">
        做好了，填写地址和证书
      </LinkButton>
    </Panel>
  );
}
