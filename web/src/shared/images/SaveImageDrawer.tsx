// 另存为镜像: saves an instance as an image. Shows beforehand its size and what is not included.
import { queryOptions, useQuery } from "@tanstack/react-query";
import { Alert, App, Form, Input } from "antd";
import { useState } from "react";
import { portal, unwrap } from "@/shared/api/client";
import type { components } from "@/shared/api/portal";
import { titleOf } from "@/shared/compute/instance-name";
import { FormDrawer } from "@/shared/form/FormDrawer";
import { formatSize } from "@/shared/lib/numbers";
import { useAffecting } from "@/shared/list/use-affecting";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import { AboutFields, type AboutForm } from "./AboutFields";

type SaveCheck = components["schemas"]["SaveCheck"];

interface SaveForm extends AboutForm {
  repository: string;
  tag: string;
}

const saveCheckQuery = (id: string) =>
  queryOptions({
    queryKey: ["images", "save-check", id],
    queryFn: ({ signal }) =>
      unwrap(portal.GET("/api/instances/{id}/save-check", { params: { path: { id } }, signal })),
    // It grows with everything that is installed.
    gcTime: 0,
  });

const useSaveImage = (id: string) =>
  useAffecting(["images", "instances", "logs"], (body: SaveForm) =>
    unwrap(portal.POST("/api/instances/{id}/save", { params: { path: { id } }, body })),
  );

interface SaveImageDrawerProps {
  open: boolean;
  instance: { id: string; name: string };
  onClose: () => void;
}

export function SaveImageDrawer({ open, instance, onClose }: SaveImageDrawerProps) {
  const { message } = App.useApp();
  const [form] = Form.useForm<SaveForm>();
  const check = useQuery({ ...saveCheckQuery(instance.id), enabled: open });
  const save = useSaveImage(instance.id);
  const [initial, setInitial] = useState<SaveForm | null>(null);
  if (!initial && check.data)
    setInitial({
      repository: check.data.repository,
      tag: "latest",
      visibility: "private",
      description: "",
    });
  return (
    <FormDrawer<SaveForm>
      open={open}
      title={`把 ${titleOf(instance)} 另存为镜像`}
      form={form}
      initialValues={initial}
      missing={
        check.error && (
          <ErrorPanel title="没有取到实例的情况" error={check.error} onRetry={() => void check.refetch()} />
        )
      }
      submitText="保存"
      error={save.error}
      submitting={save.isPending}
      onClose={onClose}
      onSubmit={(body) =>
        save.mutate(
          { ...body, repository: body.repository.trim(), tag: body.tag.trim() },
          {
            onSuccess: () => {
              message.success("开始保存，进度在“镜像管理”里", 1.5);
              onClose();
            },
          },
        )
      }
    >
      {check.data && <Beforehand {...check.data} />}
      <Form.Item name="repository" label="名称" rules={[{ required: true, message: "请填写名称" }]}>
        <Input
          prefix={check.data && <span style={{ color: "var(--c-text3)" }}>{check.data.prefix}</span>}
          autoComplete="off"
          spellCheck={false}
          maxLength={100}
        />
      </Form.Item>
      <Form.Item name="tag" label="标签" rules={[{ required: true, message: "请填写标签" }]}>
        <Input autoComplete="off" spellCheck={false} maxLength={128} autoFocus />
      </Form.Item>
      <AboutFields />
    </FormDrawer>
  );
}

function Beforehand({ size, written, layers, mostLayers, notSaved, push }: SaveCheck) {
  if (layers > mostLayers)
    return (
      <Alert
        type="error"
        showIcon
        style={{ marginBottom: 16 }}
        title={`镜像最多 ${mostLayers} 层，这个实例保存后会有 ${layers} 层，不能保存`}
      />
    );
  const mounts = notSaved.length > 0 ? `这些目录在网盘上，不会保存进镜像：${notSaved.join("、")}。` : "";
  return (
    <Alert
      type="info"
      showIcon
      style={{ marginBottom: 16 }}
      title={`镜像共 ${formatSize(size)}、${layers} 层，其中实例写入 ${formatSize(written)}`}
      description={`${mounts}${push ? "保存后推送到镜像仓库。" : "只保存在这台服务器上。"}保存期间实例会暂停片刻。`}
    />
  );
}
