// A new build: name and server of the image, and a Dockerfile or a folder of the network disk.
import { useQuery } from "@tanstack/react-query";
import { App, Button, Checkbox, ConfigProvider, Form, Input, Segmented, Select } from "antd";
import { useEffect, useState } from "react";
import { useLocation, useNavigate } from "react-router";
import { FormAlert } from "@/shared/form/FormAlert";
import { useServerFaults } from "@/shared/form/form-faults";
import { formNotes, formTheme } from "@/shared/form/form-looks";
import { requiredMark } from "@/shared/form/RequiredMark";
import { AboutFields } from "@/shared/images/AboutFields";
import { useUnsavedGuard } from "@/shared/lib/use-unsaved-guard";
import { chooseFolder } from "@/shared/stores/folder-choice";
import { Icon } from "@/shared/theme/Icon";
import { PageHeader } from "@/shared/ui/PageHeader";
import { Panel } from "@/shared/ui/Panel";
import { usePhone } from "@/shared/ui/usePhone";
import { serverOptionsQuery, useStartBuild } from "./api";
import styles from "./BuildDesk.module.css";
import { type BuildFields, buildPayload, isDraft, newBuildFields } from "./build-form";
import { DockerfileArea } from "./DockerfileArea";
import { buildLink } from "./links";

const nothing = () => {};

export function BuildDesk() {
  const phone = usePhone();
  const navigate = useNavigate();
  const { message } = App.useApp();
  const { state } = useLocation();
  const [form] = Form.useForm<BuildFields>();
  const servers = useQuery(serverOptionsQuery);
  const start = useStartBuild();
  const [touched, setTouched] = useState(false);
  const [started, setStarted] = useState<string | null>(null);
  const elsewhere = useServerFaults(form, start.error, nothing);
  const source = Form.useWatch("source", form) ?? "dockerfile";
  useUnsavedGuard(touched && started === null, "离开后，写好的 Dockerfile 不会保留。");
  // Not before the guard above has learned that nothing is lost.
  useEffect(() => {
    if (started !== null) void navigate(buildLink(started), { replace: true });
  }, [started, navigate]);

  async function pickFolder() {
    const folder = await chooseFolder("选择构建目录");
    if (folder === null) return;
    form.setFieldValue("context", folder);
    void form.validateFields(["context"]);
  }

  function submit(fields: BuildFields) {
    start.mutate(buildPayload(fields), {
      onSuccess: ({ id }) => {
        message.success("已提交构建", 1.5);
        setStarted(id);
      },
    });
  }

  return (
    <ConfigProvider componentSize="medium" theme={formTheme(phone)}>
      <PageHeader title="构建镜像" meta="在所选服务器上构建，同一台服务器上依次进行" />
      <Form<BuildFields>
        name="build"
        form={form}
        initialValues={isDraft(state) ? state : newBuildFields}
        layout="vertical"
        requiredMark={requiredMark}
        styles={formNotes}
        scrollToFirstError={{ block: "center", focus: true }}
        onFinish={submit}
        onValuesChange={() => setTouched(true)}
        className={styles.columns}
      >
        <Panel title="镜像" padded>
          <FormAlert messages={elsewhere} />
          <Form.Item name="repository" label="名称" rules={[{ required: true, message: "请填写名称" }]}>
            <Input autoComplete="off" spellCheck={false} placeholder="例如 pytorch-lab" maxLength={100} />
          </Form.Item>
          <Form.Item name="tag" label="标签" rules={[{ required: true, message: "请填写标签" }]}>
            <Input autoComplete="off" spellCheck={false} maxLength={128} />
          </Form.Item>
          <Form.Item name="server" label="服务器" rules={[{ required: true, message: "请选择服务器" }]}>
            <Select
              placeholder="在哪台服务器上构建"
              options={servers.data ?? []}
              loading={servers.isFetching}
              showSearch={{ optionFilterProp: "label" }}
              notFoundContent={servers.error?.message ?? "没有可用的服务器"}
            />
          </Form.Item>
          <AboutFields />
          <Form.Item name="push" valuePropName="checked" extra="推送后其他服务器也能使用">
            <Checkbox>构建后推送到镜像仓库</Checkbox>
          </Form.Item>
          <Form.Item name="noCache" valuePropName="checked">
            <Checkbox>不使用缓存，每一步都重新执行</Checkbox>
          </Form.Item>
        </Panel>
        <Panel title="构建内容" padded>
          <Form.Item name="source" label="来源">
            <Segmented
              aria-label="来源"
              options={[
                { value: "dockerfile", label: "Dockerfile" },
                { value: "context", label: "网盘文件夹" },
              ]}
            />
          </Form.Item>
          {source === "dockerfile" ? (
            <Form.Item
              name="dockerfile"
              label="Dockerfile"
              rules={[{ required: true, whitespace: true, message: "请填写 Dockerfile" }]}
              extra="这种方式没有其他文件，不能用 COPY；需要文件时改用网盘文件夹"
            >
              <DockerfileArea />
            </Form.Item>
          ) : (
            <Form.Item
              name="context"
              label="文件夹"
              rules={[{ required: true, message: "请选择文件夹" }]}
              extra="文件夹里要有名为 Dockerfile 的文件"
            >
              <Input
                readOnly
                placeholder="还没有选择"
                suffix={
                  <Button
                    type="link"
                    size="small"
                    icon={<Icon name="folder" size={14} />}
                    onClick={() => void pickFolder()}
                  >
                    选择
                  </Button>
                }
              />
            </Form.Item>
          )}
          <Button type="primary" htmlType="submit" loading={start.isPending}>
            开始构建
          </Button>
        </Panel>
      </Form>
    </ConfigProvider>
  );
}
