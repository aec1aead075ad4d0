// Declares cards by their device nodes: one, or several that only differ in their number.
import { App, Button, Form, Input } from "antd";
import { FormAlert } from "@/shared/form/FormAlert";
import { useServerFaults } from "@/shared/form/form-faults";
import { formNotes } from "@/shared/form/form-looks";
import { requiredMark } from "@/shared/form/RequiredMark";
import { UnitInput } from "@/shared/form/UnitInput";
import { GB } from "@/shared/quotas/quotas";
import { useDeclareEqualGpus, useDeclareGpu } from "./api";
import styles from "./GpusDrawer.module.css";
import { gpuNumbers } from "./gpu-numbers";

interface DeclareForm {
  model: string;
  memoryGb: number | null;
  /** Empty for a single card. */
  numbers: string;
  nodes: string;
}

const blank: DeclareForm = { model: "", memoryGb: null, numbers: "", nodes: "" };
const formNames: Readonly<Record<string, string>> = { deviceNodes: "nodes", memoryTotal: "memoryGb" };
const formName = (name: string) => formNames[name] ?? name;
const uncounted = () => undefined;
const filled = [{ required: true, whitespace: true, message: "请填写" }];

const numbered = {
  validator: (_: unknown, text: string) =>
    !text?.trim() || gpuNumbers(text)
      ? Promise.resolve()
      : Promise.reject(new Error("例如 0-3，或 0-3,6；最多 64 张")),
};

export function DeclareGpus({ server }: { server: string }) {
  const { message } = App.useApp();
  const [form] = Form.useForm<DeclareForm>();
  const one = useDeclareGpu();
  const several = useDeclareEqualGpus();
  const elsewhere = useServerFaults(form, one.error ?? several.error, uncounted, formName);
  const written = Form.useWatch<string | undefined>("numbers", form) ?? "";
  const numbers = gpuNumbers(written);

  function submit({ model, memoryGb, nodes }: DeclareForm) {
    const deviceNodes = nodes.split(/[\s,，、]+/).filter((node) => node !== "");
    const body = { server, model, memoryTotal: Math.round((memoryGb ?? 0) * GB), deviceNodes };
    const done = (words: string) => {
      message.success(words, 1.5);
      form.resetFields();
    };
    one.reset();
    several.reset();
    if (numbers) {
      several.mutate({ ...body, numbers }, { onSuccess: ({ items }) => done(`已登记 ${items.length} 张卡`) });
    } else one.mutate(body, { onSuccess: ({ index }) => done(`已登记卡 ${index}`) });
  }

  return (
    <section className={styles.declare} aria-label="登记显卡">
      <h3>按设备节点登记</h3>
      <Form
        form={form}
        layout="vertical"
        initialValues={blank}
        requiredMark={requiredMark}
        styles={formNotes}
        onFinish={submit}
      >
        <FormAlert messages={elsewhere} />
        <Form.Item name="model" label="型号" rules={filled}>
          <Input maxLength={60} placeholder="例如 昇腾 910B" />
        </Form.Item>
        <Form.Item
          name="numbers"
          label="编号"
          rules={[numbered]}
          extra="几张相同的卡一次登记，例如 0-3；只有一张时不填"
        >
          <Input placeholder="例如 0-3" autoComplete="off" spellCheck={false} />
        </Form.Item>
        <Form.Item
          name="nodes"
          label="设备节点"
          rules={filled}
          extra={
            numbers
              ? "每行一个，{n} 换成编号；第一行是卡本身，其余可以几张卡共用"
              : "每行一个；只有租用这张卡的实例能看到它们"
          }
        >
          <Input.TextArea
            autoSize={{ minRows: 1, maxRows: 6 }}
            placeholder={numbers ? "/dev/davinci{n}" : "/dev/davinci0"}
            spellCheck={false}
          />
        </Form.Item>
        <Form.Item name="memoryGb" label="显存" extra={numbers ? "每张卡的显存，选填" : "选填"}>
          <UnitInput min={0} precision={1} unit="GB" />
        </Form.Item>
        <Button type="primary" htmlType="submit" loading={one.isPending || several.isPending}>
          {numbers && numbers.length > 1 ? `登记 ${numbers.length} 张` : "登记"}
        </Button>
      </Form>
    </section>
  );
}
