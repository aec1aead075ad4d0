// A server's data before it is added: its name, its address, and the path of its disk.
import { Button, Form, Input } from "antd";
import type { ApiError } from "@/shared/api/problem";
import { FormAlert } from "@/shared/form/FormAlert";
import { useServerFaults } from "@/shared/form/form-faults";
import { formNotes } from "@/shared/form/form-looks";
import { requiredMark } from "@/shared/form/RequiredMark";
import { UnitInput } from "@/shared/form/UnitInput";
import type { JoinForm } from "./api";
import styles from "./Join.module.css";

interface JoinFieldsProps {
  initialValues: JoinForm;
  error: ApiError | null;
  submitting: boolean;
  onSubmit: (values: JoinForm) => void;
}

const filled = [{ required: true, whitespace: true, message: "请填写" }];
const uncounted = () => undefined;
const same = (name: string) => name;

/** At such an address only the portal's own machine reaches it. */
export const isLoopback = (address: string) => /^https?:\/\/(localhost|127\.|\[::1\])/.test(address);

export function JoinFields({ initialValues, error, submitting, onSubmit }: JoinFieldsProps) {
  const [form] = Form.useForm<JoinForm>();
  const elsewhere = useServerFaults(form, error, uncounted, same);
  const address = Form.useWatch<string | undefined>("portal", form) ?? "";
  return (
    <Form<JoinForm>
      form={form}
      name="join"
      layout="vertical"
      className={styles.form}
      initialValues={initialValues}
      requiredMark={requiredMark}
      styles={formNotes}
      scrollToFirstError={{ block: "center", focus: true }}
      onFinish={onSubmit}
    >
      <FormAlert messages={elsewhere} />
      <Form.Item name="name" label="名称" rules={filled}>
        <Input maxLength={40} autoFocus placeholder="例如 gpu-a02" autoComplete="off" />
      </Form.Item>
      <Form.Item
        name="host"
        label="服务器地址"
        rules={filled}
        extra="平台和大家都用它访问服务器：主机名或 IP。证书只对这个地址有效，以后换地址要重新添加"
      >
        <Input placeholder="例如 10.0.0.7 或 gpu-a02.lab.cn" spellCheck={false} autoComplete="off" />
      </Form.Item>
      <Form.Item name="port" label="引擎端口" rules={[{ required: true, message: "请填写" }]}>
        <UnitInput min={1} max={65535} precision={0} unit="TCP" />
      </Form.Item>
      <Form.Item
        name="storagePath"
        label="网盘路径"
        extra="网盘根目录在服务器上的位置，留空时实例看不到网盘文件"
      >
        <Input placeholder="例如 /mnt/yunlab" spellCheck={false} autoComplete="off" />
      </Form.Item>
      <Form.Item
        name="storageSource"
        label="NFS 共享"
        extra="填写后由脚本挂载并写入 /etc/fstab；留空表示已经挂好。必须和平台用的是同一个共享，并且允许这台服务器以 root 读写（no_root_squash）"
      >
        <Input placeholder="例如 10.0.0.5:/srv/yunlab" spellCheck={false} autoComplete="off" />
      </Form.Item>
      <Form.Item
        name="portal"
        label="平台地址"
        rules={filled}
        validateStatus={isLoopback(address) ? "warning" : undefined}
        extra={
          isLoopback(address)
            ? "这是本机地址，服务器访问不到。请填写平台在实验室网络里的地址"
            : "服务器从这里下载脚本和报告进度"
        }
      >
        <Input spellCheck={false} autoComplete="off" />
      </Form.Item>
      <Button type="primary" htmlType="submit" loading={submitting}>
        生成命令
      </Button>
    </Form>
  );
}
