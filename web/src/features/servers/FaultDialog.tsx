// Describes a card's fault for all users.
import { Input, type InputRef, Modal } from "antd";
import { useRef, useState } from "react";
import { Icon } from "@/shared/theme/Icon";

interface FaultDialogProps {
  open: boolean;
  /** The card's. */
  name: string;
  submitting: boolean;
  onMark: (fault: string) => void;
  onClose: () => void;
}

export function FaultDialog({ open, name, submitting, onMark, onClose }: FaultDialogProps) {
  const [fault, setFault] = useState("");
  const field = useRef<InputRef>(null);
  const words = fault.trim();
  const mark = () => words !== "" && onMark(words);
  return (
    <Modal
      open={open}
      title={`标记故障 ${name}`}
      okText="标记故障"
      okButtonProps={{ disabled: words === "" }}
      cancelText="取消"
      width={440}
      closeIcon={<Icon name="close" />}
      confirmLoading={submitting}
      destroyOnHidden
      onOk={mark}
      onCancel={onClose}
      // Only now: the menu that it was chosen in gives the keyboard back to its button.
      afterOpenChange={(shown) => shown && field.current?.focus()}
      afterClose={() => setFault("")}
    >
      <p style={{ marginBottom: 12 }}>
        故障的卡不再分给新实例；正在使用它的实例不会停止，所有者会收到通知。修好后试运行，通过就恢复使用。
      </p>
      <Input
        ref={field}
        aria-label="故障说明"
        maxLength={200}
        placeholder="例如：Xid 79，GPU 掉线"
        value={fault}
        onChange={(event) => setFault(event.target.value)}
        onPressEnter={mark}
      />
    </Modal>
  );
}
