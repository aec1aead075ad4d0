// The name of an instance, changed where it is read.
import { App, Button, Form, Input, type InputRef, Modal } from "antd";
import { useRef, useState } from "react";
import type { InstanceDetail } from "@/shared/compute/api";
import { Icon } from "@/shared/theme/Icon";
import { useChangeInstance } from "../api";

export function RenameInstance({ instance }: { instance: InstanceDetail }) {
  const { message } = App.useApp();
  const [name, setName] = useState<string | null>(null);
  const change = useChangeInstance();
  const field = useRef<InputRef>(null);
  const close = () => setName(null);

  function save() {
    const note = (name ?? "").trim();
    if (note === instance.note) return close();
    change.mutate(
      { id: instance.id, change: { note } },
      {
        onSuccess: () => {
          message.success("名称已保存", 1.5);
          close();
        },
      },
    );
  }

  return (
    <>
      <Button
        type="text"
        size="small"
        icon={<Icon name="rename" size={14} />}
        aria-label="修改名称"
        title="修改名称"
        onClick={() => {
          change.reset();
          setName(instance.note);
        }}
      />
      <Modal
        open={name !== null}
        title="修改名称"
        width={420}
        okText="保存"
        cancelText="取消"
        confirmLoading={change.isPending}
        closeIcon={<Icon name="close" />}
        afterOpenChange={(open) => open && field.current?.focus({ cursor: "all" })}
        onOk={save}
        onCancel={close}
      >
        <Form layout="vertical" onFinish={save}>
          <Form.Item
            label="名称"
            htmlFor="instance-name"
            {...(change.error
              ? { validateStatus: "error", help: change.error.message }
              : { extra: `不填时显示编号 ${instance.name}` })}
          >
            <Input
              id="instance-name"
              ref={field}
              maxLength={100}
              placeholder="例如：第 12 次训练"
              value={name ?? ""}
              onChange={(event) => setName(event.target.value)}
            />
          </Form.Item>
        </Form>
      </Modal>
    </>
  );
}
