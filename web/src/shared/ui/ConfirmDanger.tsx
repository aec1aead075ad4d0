// The second step before something is destroyed. The title names the object, the body says what is lost and what stays,
// the button says the verb. Irreversible actions require the short name to be typed.
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
  /** Cancels the running action; without it the dialogue waits for its end. */
  onStop?: () => void;
}

export function ConfirmDanger(props: ConfirmDangerProps) {
  const { open, title, verb, shortName, submitting, onConfirm, onClose, onStop } = props;
  const waiting = submitting && !onStop;
  const [typed, setTyped] = useState("");
  const field = useId();
  const [wasOpen, setWasOpen] = useState(false);
  const [opener, setOpener] = useState<Element | null>(null);
  // Before `autoFocus` takes the focus, which antd does not notice in time to give it back.
  if (open !== wasOpen) {
    setWasOpen(open);
    if (open) setOpener(document.activeElement);
  }
  function afterClose() {
    setTyped("");
    const isNowhere = document.activeElement === document.body;
    if (isNowhere && opener instanceof HTMLElement) opener.focus();
  }
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
        danger: true,
        disabled: !ready,
        autoFocus: shortName === undefined,
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
      afterClose={afterClose}
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
              autoFocus
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
