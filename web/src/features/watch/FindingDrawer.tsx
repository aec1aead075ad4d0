// A finding: its evidence, the decision on it, and resuming its instance.
import { Alert, App, Button, Form, Input, Radio } from "antd";
import { useState } from "react";
import { Link } from "react-router";
import { useActOn } from "@/shared/compute/api";
import { links } from "@/shared/compute/links";
import type { Finding, FindingState } from "@/shared/findings/api";
import { FormDrawer } from "@/shared/form/FormDrawer";
import { TimeText } from "@/shared/ui/TimeText";
import { useHandleFinding } from "./api";
import styles from "./Findings.module.css";
import { kindLooks, stateLooks, stateOptions } from "./words";

interface FindingDrawerProps {
  open: boolean;
  finding: Finding;
  onClose: () => void;
}

interface Values {
  state: FindingState;
  note: string;
}

export function FindingDrawer({ open, finding, onClose }: FindingDrawerProps) {
  const { message } = App.useApp();
  const [form] = Form.useForm<Values>();
  // The finding at opening: a refetch must not change it during the decision.
  const [shown] = useState(finding);
  const handle = useHandleFinding();

  const save = ({ state, note }: Values) =>
    handle.mutate(
      { id: finding.id, body: { state, note, from: shown.state } },
      {
        onSuccess: () => {
          message.success(`已标为${stateLooks[state].label}`, 1.5);
          onClose();
        },
      },
    );

  return (
    <FormDrawer<Values>
      title="处理异常行为"
      open={open}
      form={form}
      width={560}
      initialValues={{ state: shown.state, note: shown.note }}
      submitText="保存"
      error={handle.error}
      submitting={handle.isPending}
      onSubmit={save}
      onClose={onClose}
    >
      {finding.instance.suspended && <Suspended finding={finding} />}
      <Evidence finding={finding} />
      <Form.Item name="state" label="结论" extra="标为误报后，这个实例的同一特征不再触发暂停">
        <Radio.Group options={stateOptions} />
      </Form.Item>
      <Form.Item name="note" label="备注">
        <Input.TextArea autoSize={{ minRows: 2, maxRows: 6 }} maxLength={500} />
      </Form.Item>
    </FormDrawer>
  );
}

function Suspended({ finding: { instance } }: { finding: Finding }) {
  const { message } = App.useApp();
  const act = useActOn();
  const lift = () =>
    act.mutate(
      { act: "resume", id: instance.id },
      {
        onSuccess: () => message.success(`正在恢复 ${instance.name}`, 1.5),
        onError: (error) => message.error(error.message, 2),
      },
    );
  return (
    <Alert
      className={styles.suspended ?? ""}
      type="warning"
      showIcon
      title="实例已暂停，程序停在原处。解除后 30 分钟内不会再次自动暂停，所有者可以清理。"
      action={
        <Button size="small" loading={act.isPending} onClick={lift}>
          解除暂停
        </Button>
      }
    />
  );
}

function Evidence({ finding }: { finding: Finding }) {
  const { instance, username, server, image, kind, rule, detail, count, firstSeen, lastSeen, paused } =
    finding;
  return (
    <dl className={styles.facts}>
      <dt>实例</dt>
      <dd>
        <Link to={links.instance(instance.id)}>{instance.name}</Link>
      </dd>
      <dt>用户</dt>
      <dd>{username}</dd>
      <dt>服务器</dt>
      <dd>{server}</dd>
      <dt>镜像</dt>
      <dd>{image}</dd>
      <dt>特征</dt>
      <dd>
        {kind === "pattern" ? "" : `${rule} · `}
        {kindLooks[kind].note}
      </dd>
      <dt>证据</dt>
      <dd>
        <pre className={styles.line}>{detail}</pre>
      </dd>
      <dt>时间</dt>
      <dd>
        <TimeText time={firstSeen} full /> 至 <TimeText time={lastSeen} full />
        ，共 {count.toLocaleString("zh-CN")} 次
      </dd>
      {paused && (
        <>
          <dt>暂停</dt>
          <dd>
            <TimeText time={paused} full />
          </dd>
        </>
      )}
      {finding.handled && (
        <>
          <dt>上次处理</dt>
          <dd>
            {finding.handler}，<TimeText time={finding.handled} full />
          </dd>
        </>
      )}
    </dl>
  );
}
