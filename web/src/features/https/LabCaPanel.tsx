// The lab's CA for administrators: the names it may sign for, where people install it, and its replacement.
import { Alert, App, Button } from "antd";
import { Link } from "react-router";
import { CopyText } from "@/shared/ui/CopyText";
import { Panel } from "@/shared/ui/Panel";
import { TimeText } from "@/shared/ui/TimeText";
import { type LabCaState, useMakeLabCa } from "./api";
import styles from "./Https.module.css";

interface LabCaPanelProps {
  ca: LabCaState | null;
  /** The names of the saved settings. */
  names: readonly string[];
}

export function LabCaPanel({ ca, names }: LabCaPanelProps) {
  return (
    <Panel title="实验室的 CA" extra={ca && <Replace names={names.length > 0 ? names : ca.names} />} padded>
      {ca ? <Facts ca={ca} /> : <p className={styles.note}>保存设置时自动生成。</p>}
    </Panel>
  );
}

function Facts({ ca: { name, names, fingerprint, notAfter, hasKey } }: { ca: LabCaState }) {
  return (
    <>
      {!hasKey && (
        <Alert
          type="error"
          showIcon
          className={styles.failure}
          title="数据库里没有这个 CA 的私钥，证书到期后不能续期"
          description="未加密的备份不含 CA 的私钥。请重新生成 CA，并让大家重新安装。"
        />
      )}
      <dl className={styles.facts}>
        <dt>名称</dt>
        <dd>{name}</dd>
        <dt>可以签发</dt>
        <dd>{names.join("、")}（及其下级域名），以及内网地址。别的域名它签了也不算数</dd>
        <dt>有效期到</dt>
        <dd>
          <TimeText time={notAfter} full />
        </dd>
        <dt>SHA-256</dt>
        <dd className={styles.fingerprint}>
          {fingerprint}
          <CopyText text={fingerprint} label="复制 CA 的指纹" />
        </dd>
      </dl>
      <p className={styles.help}>
        每台电脑和手机要安装一次。把这个页面发给大家，不登录也能打开：
        <Link to="/lab-ca">{`${location.origin}/lab-ca`}</Link>
      </p>
    </>
  );
}

function Replace({ names }: { names: readonly string[] }) {
  const { modal, message } = App.useApp();
  const make = useMakeLabCa();
  const ask = () =>
    modal.confirm({
      title: "重新生成实验室的 CA？",
      content: `新的 CA 可以给 ${names.join("、")} 签发证书。所有人都要重新安装，之前浏览器会提示不安全。`,
      okText: "重新生成",
      okButtonProps: { danger: true },
      cancelText: "取消",
      focusable: { autoFocusButton: "cancel" },
      onOk: () =>
        make.mutateAsync({ names: [...names], replace: true }).then(
          () => void message.success("已生成新的 CA", 1.5),
          (error: Error) => void message.error(error.message, 2),
        ),
    });
  return (
    <Button loading={make.isPending} onClick={ask}>
      重新生成
    </Button>
  );
}
