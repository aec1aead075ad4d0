// 维护: the server takes no new instances; what runs there goes on.
import { App, Form, Input, Modal } from "antd";
import type { ServerView } from "@/shared/compute/api";
import { FormAlert } from "@/shared/form/FormAlert";
import { Icon } from "@/shared/theme/Icon";
import { useChangeServer } from "./api";

interface MaintenanceDialogProps {
  open: boolean;
  server: ServerView | undefined;
  onClose: () => void;
}

export function MaintenanceDialog({ open, server, onClose }: MaintenanceDialogProps) {
  const { message } = App.useApp();
  const [form] = Form.useForm<{ note: string }>();
  const change = useChangeServer();

  function begin({ note = "" }: { note?: string }) {
    if (!server) return;
    change.mutate(
      { id: server.id, change: { schedulable: false, maintenanceNote: note } },
      {
        onSuccess: () => {
          message.success(`${server.name} 已进入维护`, 1.5);
          onClose();
        },
      },
    );
  }

  return (
    <Modal
      open={open && server !== undefined}
      title={`维护 ${server?.name ?? ""}`}
      okText="进入维护"
      cancelText="取消"
      width={440}
      closeIcon={<Icon name="close" />}
      confirmLoading={change.isPending}
      destroyOnHidden
      onOk={form.submit}
      onCancel={onClose}
    >
      {change.error && <FormAlert messages={[change.error.fields[0]?.message ?? change.error.message]} />}
      <p style={{ marginBottom: 12 }}>
        维护期间不接受新实例，也不能启动已停止的实例；正在运行的实例不受影响。
      </p>
      <Form form={form} layout="vertical" initialValues={{ note: server?.maintenanceNote }} onFinish={begin}>
        <Form.Item name="note" label="说明" extra="所有能用这台服务器的人都会看到">
          <Input autoFocus maxLength={500} placeholder="例如：更换电源，至 11-22 04:00" />
        </Form.Item>
      </Form>
    </Modal>
  );
}
