// Asks for a name, of a new folder or for renaming. Enter confirms, Escape closes.
import { Form, Input, type InputRef, Modal } from "antd";
import { type ReactNode, useEffect, useId, useRef, useState } from "react";
import type { Failure } from "@/shared/ui/failure";
import { faultOfName } from "./name-rules";

interface NamePromptProps {
  title: string;
  label: string;
  verb: string;
  initial: string;
  /** How many characters of the initial name are selected. */
  selected: number;
  /** Shown after the typed text and part of the name. */
  ending?: string;
  submitting: boolean;
  error: Failure | null;
  onSubmit: (name: string) => void;
  /** The name is unchanged; without this it is submitted like any other. */
  onUnchanged?: () => void;
  onClose: () => void;
  /** Below the name. */
  children?: ReactNode;
}

export function NamePrompt(props: NamePromptProps) {
  const { title, label, verb, initial, selected, ending = "", submitting, error, children } = props;
  const { onSubmit, onUnchanged, onClose } = props;
  const [name, setName] = useState(initial);
  const [fault, setFault] = useState<string | null>(null);
  /** The server's words belong to the name that was sent. */
  const [sent, setSent] = useState<string | null>(null);
  const id = useId();
  const input = useRef<InputRef>(null);
  const trimmed = name.trim();
  const whole = trimmed === "" || trimmed.endsWith(ending) ? trimmed : trimmed + ending;
  const said = fault ?? (sent === whole ? error?.message : undefined);

  const selectedOnce = useRef(false);

  // At once, not when the prompt has finished opening: keys typed meanwhile would be lost.
  useEffect(() => input.current?.focus({ preventScroll: true }), []);

  function focused() {
    if (selectedOnce.current) return;
    selectedOnce.current = true;
    input.current?.setSelectionRange(0, selected);
  }

  function submit() {
    if (submitting) return;
    // Unchanged, including surrounding spaces.
    if (onUnchanged && name === initial) {
      onUnchanged();
      return;
    }
    const found = faultOfName(whole);
    setFault(found);
    if (found) return;
    setSent(whole);
    onSubmit(whole);
  }

  return (
    <Modal
      open
      title={title}
      okText={verb}
      cancelText="取消"
      confirmLoading={submitting}
      width={440}
      // The dialogue gives the focus to its first button or field: so that is the field.
      closable={false}
      onOk={submit}
      onCancel={onClose}
    >
      <Form layout="vertical" onFinish={submit}>
        <Form.Item
          label={label}
          htmlFor={id}
          {...(said && { validateStatus: "error", help: said })}
          style={{ marginBottom: children ? 16 : 8 }}
        >
          <Input
            id={id}
            ref={input}
            onFocus={focused}
            autoComplete="off"
            spellCheck={false}
            aria-invalid={Boolean(said)}
            {...(ending && { suffix: ending })}
            value={name}
            onChange={(event) => {
              setName(event.target.value);
              setFault(null);
            }}
          />
        </Form.Item>
        {children}
        {/* So that Enter confirms from what is below the name too. */}
        <button type="submit" hidden />
      </Form>
    </Modal>
  );
}
