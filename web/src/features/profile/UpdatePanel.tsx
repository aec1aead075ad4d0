// Updates, for administrators: checking the source, starting one, and its progress until the page reloads.
import { Alert, App, Button, Flex, Modal } from "antd";
import { useState } from "react";
import type { UpdateInfo } from "@/shared/api/update-info";
import { formatSize } from "@/shared/lib/numbers";
import { isNewer } from "@/shared/lib/version";
import { Icon } from "@/shared/theme/Icon";
import { Meter } from "@/shared/ui/Meter";
import { Panel } from "@/shared/ui/Panel";
import { TimeText } from "@/shared/ui/TimeText";
import styles from "./AboutPage.module.css";
import { useCheckUpdate, useStartUpdate } from "./api";

export function UpdatePanel({ update }: { update: UpdateInfo }) {
  return (
    <Panel title="更新" padded>
      {update.configured ? (
        <Flex vertical gap={16} align="start">
          <LastFault update={update} />
          <UpdateState update={update} />
        </Flex>
      ) : (
        <p className={styles.explanation}>
          没有配置更新源。在服务器的配置中设置 <code>update_source</code>（发布的文件夹或网址）和{" "}
          <code>update_key</code>（发布者的公钥），重启后就能在这里检查和安装新版本。
        </p>
      )}
    </Panel>
  );
}

/** The last failure, if there was no success since. */
function LastFault({ update: { version, failed, error } }: { update: UpdateInfo }) {
  const icon = <Icon name="alert" />;
  return (
    <>
      {failed && (
        <Alert
          type="warning"
          showIcon
          icon={icon}
          className={styles.fault}
          title={
            <>
              更新到 {failed.version} 没有成功，已退回 {version}
              <div>
                <TimeText time={failed.time} full /> {failed.reason}
              </div>
            </>
          }
        />
      )}
      {error && <Alert type="error" showIcon icon={icon} className={styles.fault} title={error} />}
    </>
  );
}

function UpdateState({ update }: { update: UpdateInfo }) {
  const { version, latestversion, state, downloaded, size } = update;
  if (state === "restarting") {
    return <p role="status">新版本已经准备好，服务正在重启，页面会自动刷新。</p>;
  }
  if (state === "downloading") {
    return (
      <div className={styles.progress} role="status">
        <span>
          正在下载和检查 {latestversion}：{formatSize(downloaded)} / {formatSize(size)}
        </span>
        <Meter label="下载进度" used={downloaded} limit={size} mine />
      </div>
    );
  }
  return isNewer(latestversion, version) ? <Offer update={update} /> : <Check update={update} />;
}

function Check({ update: { version, checked } }: { update: UpdateInfo }) {
  return (
    <Flex gap={12} align="center" wrap>
      <span>
        {checked ? (
          <>
            {version} 已经是最新版本，
            <TimeText time={checked} /> 检查过。
          </>
        ) : (
          "还没有检查过更新源。"
        )}
      </span>
      <CheckButton />
    </Flex>
  );
}

function CheckButton() {
  const { message } = App.useApp();
  const check = useCheckUpdate();
  return (
    <Button
      icon={<Icon name="refresh" size={14} />}
      loading={check.isPending}
      onClick={() => check.mutate(undefined, { onError: (error) => void message.error(error.message, 2) })}
    >
      检查更新
    </Button>
  );
}

function Offer({ update: { version, latestversion, size } }: { update: UpdateInfo }) {
  const { message } = App.useApp();
  const [asking, setAsking] = useState(false);
  const start = useStartUpdate();
  const close = () => setAsking(false);
  return (
    <>
      <span>
        可以从 {version} 更新到 {latestversion}
        {size > 0 && `（${formatSize(size)}）`}。
      </span>
      <Flex gap={8} wrap>
        <Button type="primary" onClick={() => setAsking(true)}>
          更新到 {latestversion}
        </Button>
        <CheckButton />
      </Flex>
      <Modal
        open={asking}
        title={`更新到 ${latestversion}？`}
        okText="开始更新"
        okButtonProps={{ autoFocus: true }}
        confirmLoading={start.isPending}
        cancelText="取消"
        width={440}
        closeIcon={<Icon name="close" />}
        destroyOnHidden
        onCancel={close}
        onOk={() =>
          start.mutate(latestversion, {
            onSuccess: close,
            onError: (error) => {
              close();
              void message.error(error.message, 2);
            },
          })
        }
      >
        <p>新版本下载并检查之后，服务会重启一次，通常不到一分钟：</p>
        <ul className={styles.effects}>
          <li>所有打开的页面会收到重启提醒，并自动刷新；</li>
          <li>正在进行的上传会等待一段时间，没有传完的之后可以续传；</li>
          <li>网页终端会断开，容器实例不受影响；</li>
          <li>新版本不能正常启动时，自动退回 {version}。</li>
        </ul>
      </Modal>
    </>
  );
}
