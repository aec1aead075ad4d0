// The second step before something is destroyed. The title names the thing, the body says what is lost and what stays,
// the button says the verb. What cannot be undone asks for the short name to be typed.
import { Flex, Form, Input, Modal } from "antd";
import { type ReactNode, useId, useState } from "react";
import { Icon } from "@/shared/theme/Icon";

interface ConfirmDangerProps {
  open: boolean;
  /** 删除用户 zhangmin？ */
  title: string;
  /** What is lost, what stays. */
  children: ReactNode;
  /** 删除, 禁用 … never 确定. */
  verb: string;
  /** To be typed before the button opens. */
  shortName?: string;
  submitting: boolean;
  onConfirm: () => void;
  onClose: () => void;
  /** Ends what was confirmed and is under way; without it that is waited for. */
  onStop?: () => void;
}

export function ConfirmDanger(props: ConfirmDangerProps) {
  const { open, title, verb, shortName, submitting, onConfirm, onClose, onStop } = props;
  const waiting = submitting && !onStop;
  const [typed, setTyped] = useState("");
  const field = useId();
  const ok = useId();
  function cancel() {
    if (!submitting) onClose();
    else onStop?.();
  }
  const ready = shortName === undefined || typed.trim() === shortName;
  return (
    <Modal
      open={open}
      title={title}
      okText={verb}
      okButtonProps={{
        id: ok,
        danger: true,
        disabled: !ready,
        loading: submitting,
      }}
      cancelButtonProps={{ disabled: waiting }}
      cancelText="取消"
      width={440}
      closeIcon={<Icon name="close" />}
      destroyOnHidden
      mask={{ closable: !submitting }}
      keyboard={!waiting}
      onOk={onConfirm}
      onCancel={cancel}
      // Not by `autoFocus`: that comes before the dialogue notes where the focus is to return to.
      afterOpenChange={(shown) => {
        if (shown) document.getElementById(shortName === undefined ? ok : field)?.focus();
      }}
      afterClose={() => setTyped("")}
    >
      <Flex vertical gap={12}>
        <div>{props.children}</div>
        {shortName !== undefined && (
          <Form layout="vertical" onFinish={() => ready && !submitting && onConfirm()}>
            <label htmlFor={field}>
              输入 <b>{shortName}</b> 以确认
            </label>
            <Input
              id={field}
              autoComplete="off"
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
            />
          </Form>
        )}
      </Flex>
    </Modal>
  );
}
