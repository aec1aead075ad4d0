// Refuses a request, which takes a reason: the requester reads it in the thread.
import { App, Form, Input, Modal } from "antd";
import { FormAlert } from "@/shared/form/FormAlert";
import { Icon } from "@/shared/theme/Icon";
import type { WorksheetDetail } from "./api";
import { useReject } from "./decide";

interface RejectDialogProps {
  one: WorksheetDetail;
  open: boolean;
  onClose: () => void;
}

export function RejectDialog({ one, open, onClose }: RejectDialogProps) {
  const { message } = App.useApp();
  const [form] = Form.useForm<{ reason: string }>();
  const reject = useReject();

  const submit = ({ reason }: { reason: string }) =>
    reject.mutate(
      { id: one.id, reason },
      {
        onSuccess: () => {
          message.success("已驳回", 1.5);
          onClose();
        },
      },
    );

  return (
    <Modal
      open={open}
      title={`驳回 ${one.requester.name || one.requester.username} 的申请`}
      okText="驳回"
      okButtonProps={{ danger: true }}
      confirmLoading={reject.isPending}
      cancelText="取消"
      width={440}
      closeIcon={<Icon name="close" />}
      destroyOnHidden
      onOk={form.submit}
      onCancel={onClose}
    >
      <FormAlert messages={reject.error ? [reject.error.message] : []} />
      <Form form={form} layout="vertical" requiredMark={false} preserve={false} onFinish={submit}>
        <Form.Item
          name="reason"
          label="原因"
          extra="申请人会看到；工单随之关闭，之后可以重新打开"
          rules={[{ required: true, whitespace: true, message: "请填写原因" }]}
        >
          <Input.TextArea autoFocus autoSize={{ minRows: 3, maxRows: 8 }} maxLength={5000} />
        </Form.Item>
      </Form>
    </Modal>
  );
}
