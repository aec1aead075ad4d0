// 排空: nothing starts there any more, and at a set time what still runs is stopped. Owners of running instances are
// notified.
import { App, DatePicker, Form, Input, Modal } from "antd";
import dayjs, { type Dayjs } from "dayjs";
import type { ServerView } from "@/shared/compute/api";
import { whenText } from "@/shared/compute/text";
import { FormAlert } from "@/shared/form/FormAlert";
import { Icon } from "@/shared/theme/Icon";
import { useDrainServer } from "./api";

interface DrainDialogProps {
  open: boolean;
  server: ServerView;
  onClose: () => void;
}

interface DrainForm {
  at: Dayjs;
  note?: string;
}

export function DrainDialog({ open, server, onClose }: DrainDialogProps) {
  const { message } = App.useApp();
  const [form] = Form.useForm<DrainForm>();
  const drain = useDrainServer();

  function begin({ at, note = "" }: DrainForm) {
    drain.mutate(
      { id: server.id, at: at.second(0).millisecond(0).toISOString(), note },
      {
        onSuccess: () => {
          message.success(
            `${server.name} 将于 ${whenText(at.toISOString())} 停机维护，已通知正在使用的人`,
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
      title={`排空 ${server.name}`}
      okText="排空"
      cancelText="取消"
      width={440}
      closeIcon={<Icon name="close" />}
      confirmLoading={drain.isPending}
      destroyOnHidden
      onOk={form.submit}
      onCancel={onClose}
      afterClose={() => drain.reset()}
    >
      {drain.error && <FormAlert messages={[drain.error.fields[0]?.message ?? drain.error.message]} />}
      <p style={{ marginBottom: 12 }}>
        现在起不能在这台服务器上创建和启动实例；到时还在运行的实例自动停止，文件都保留。正在使用的人现在收到通知，停机前一小时再收到一次。
      </p>
      <Form<DrainForm>
        form={form}
        layout="vertical"
        initialValues={{ at: server.drain ? dayjs(server.drain.at) : null, note: server.drain?.note }}
        onFinish={begin}
      >
        <Form.Item name="at" label="停机时间" rules={[{ required: true, message: "请选择时间" }]}>
          <DatePicker
            showTime={{ format: "HH:mm" }}
            format="YYYY-MM-DD HH:mm"
            minDate={dayjs()}
            style={{ width: "100%" }}
          />
        </Form.Item>
        <Form.Item name="note" label="说明" extra="写在通知里，所有能用这台服务器的人都会看到">
          <Input maxLength={200} placeholder="例如：更换电源，预计两小时" />
        </Form.Item>
      </Form>
    </Modal>
  );
}
