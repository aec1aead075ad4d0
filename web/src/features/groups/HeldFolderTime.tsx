// Another time for an instance to be stopped that still has the folder of a group.
import { App, DatePicker, Modal, Radio } from "antd";
import dayjs, { type Dayjs } from "dayjs";
import { useState } from "react";
import { whenText } from "@/shared/compute/text";
import { FormAlert } from "@/shared/form/FormAlert";
import { inFull } from "@/shared/lib/person-name";
import { Icon } from "@/shared/theme/Icon";
import { type HeldFolder, useMoveHeldFolder } from "./api";
import styles from "./HeldFolders.module.css";

const spans = [
  { hours: 1, label: "1 小时后" },
  { hours: 24, label: "24 小时后" },
  { hours: 72, label: "3 天后" },
] as const;

/** As far as the server allows. */
const FARTHEST_DAYS = 30;

interface HeldFolderTimeProps {
  open: boolean;
  held: HeldFolder;
  onClose: () => void;
}

export function HeldFolderTime({ open, held, onClose }: HeldFolderTimeProps) {
  const { message } = App.useApp();
  const move = useMoveHeldFolder();
  const [choice, setChoice] = useState<number | "other">(24);
  const [other, setOther] = useState<Dayjs | null>(null);

  function save() {
    const at = choice === "other" ? other : dayjs().add(choice, "hour");
    if (!at) return;
    move.mutate(
      { id: held.id, endsAt: at.toISOString() },
      {
        onSuccess: ({ endsAt }) => {
          message.success(`${held.instance.name} 将于 ${whenText(endsAt)} 停止`, 1.5);
          onClose();
        },
      },
    );
  }

  return (
    <Modal
      open={open}
      title={`什么时候停止 ${held.instance.name}`}
      okText="确定时间"
      okButtonProps={{ disabled: choice === "other" && other === null }}
      cancelText="取消"
      confirmLoading={move.isPending}
      width={440}
      closeIcon={<Icon name="close" />}
      destroyOnHidden
      onOk={save}
      onCancel={onClose}
      afterClose={() => move.reset()}
    >
      {move.error && <FormAlert messages={[move.error.fields[0]?.message ?? move.error.message]} />}
      <p>
        现在定在 {whenText(held.endsAt)}。{inFull(held.owner)} 会收到通知，在这之前自己重启或停止也可以。
      </p>
      <Radio.Group
        aria-label="多久之后"
        className={styles.choices ?? ""}
        value={choice}
        onChange={(event) => setChoice(event.target.value)}
      >
        {spans.map(({ hours, label }) => (
          <Radio key={hours} value={hours}>
            {label}
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
              maxDate={dayjs().add(FARTHEST_DAYS, "day")}
              onChange={(value: Dayjs | null) => setOther(value)}
            />
          )}
        </Radio>
      </Radio.Group>
    </Modal>
  );
}
