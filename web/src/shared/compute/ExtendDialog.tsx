// Another time to stop at. A stopped instance is kept for the full time again.
import { App, DatePicker, Modal, Radio } from "antd";
import dayjs, { type Dayjs } from "dayjs";
import { useState } from "react";
import { FormAlert } from "@/shared/form/FormAlert";
import { Icon } from "@/shared/theme/Icon";
import { type InstanceView, useExtend } from "./api";
import styles from "./ExtendDialog.module.css";
import { titleOf } from "./instance-name";
import { isStopped } from "./instance-state";
import { extended, whenText } from "./text";

interface ExtendDialogProps {
  open: boolean;
  instance: InstanceView;
  onClose: () => void;
}

const spans = [
  { hours: 24, label: "24 小时" },
  { hours: 72, label: "3 天" },
  { hours: 168, label: "7 天" },
] as const;

type Choice = number | "never" | "other";

export function ExtendDialog({ open, instance, onClose }: ExtendDialogProps) {
  const { message } = App.useApp();
  const extend = useExtend();
  const [choice, setChoice] = useState<Choice>(24);
  const [other, setOther] = useState<Dayjs | null>(null);
  const stopped = isStopped(instance);
  const at = choice === "never" ? null : choice === "other" ? other : extended(instance.stopAt, choice);

  function save() {
    const stopAt = stopped || at === null ? null : at.toISOString();
    extend.mutate(
      { id: instance.id, stopAt },
      {
        onSuccess: (one) => {
          message.success(
            stopped
              ? `${titleOf(one)} 保留到 ${one.keepUntil ? whenText(one.keepUntil) : "主动释放"}`
              : one.stopAt
                ? `${titleOf(one)} 将于 ${whenText(one.stopAt)} 停止`
                : `${titleOf(one)} 不会自动停止`,
            1.5,
          );
          onClose();
        },
      },
    );
  }

  return (
    <Modal
      open={open}
      title={`续期 ${titleOf(instance)}`}
      okText="续期"
      okButtonProps={{ disabled: !stopped && choice === "other" && other === null }}
      cancelText="取消"
      confirmLoading={extend.isPending}
      width={440}
      closeIcon={<Icon name="close" />}
      destroyOnHidden
      onOk={save}
      onCancel={onClose}
      afterClose={() => extend.reset()}
    >
      {extend.error && <FormAlert messages={[extend.error.fields[0]?.message ?? extend.error.message]} />}
      {stopped ? (
        <p>
          {instance.keepUntil
            ? `现在保留到 ${whenText(instance.keepUntil)}，之后自动释放。续期后从现在起重新计算保留时间。`
            : "实例已停止，没有设置自动释放。"}
        </p>
      ) : (
        <Radio.Group
          aria-label="续期多久"
          className={styles.choices}
          value={choice}
          onChange={(event) => setChoice(event.target.value)}
        >
          {spans.map(({ hours, label }) => (
            <Radio key={hours} value={hours}>
              {label}
              <small>到 {whenText(extended(instance.stopAt, hours).toDate())}</small>
            </Radio>
          ))}
          <Radio value="other">
            指定时间
            {choice === "other" && (
              <DatePicker
                aria-label="停止时间"
                className={styles.time ?? ""}
                showTime={{ format: "HH:mm" }}
                format="YYYY-MM-DD HH:mm"
                value={other}
                minDate={dayjs()}
                onChange={(value: Dayjs | null) => setOther(value)}
              />
            )}
          </Radio>
          <Radio value="never">不自动停止</Radio>
        </Radio.Group>
      )}
    </Modal>
  );
}
