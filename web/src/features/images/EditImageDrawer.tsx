// Visibility and description of an image.
import { useQuery } from "@tanstack/react-query";
import { App, Form } from "antd";
import { useState } from "react";
import { FormDrawer } from "@/shared/form/FormDrawer";
import { AboutFields, type AboutForm } from "@/shared/images/AboutFields";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import { imageQuery, useUpdateImage } from "./api";

interface EditImageDrawerProps {
  open: boolean;
  id: string;
  onClose: () => void;
}

export function EditImageDrawer({ open, id, onClose }: EditImageDrawerProps) {
  const { message } = App.useApp();
  const [form] = Form.useForm<AboutForm>();
  const image = useQuery({ ...imageQuery(id), enabled: open && id !== "" });
  const update = useUpdateImage();
  const [initial, setInitial] = useState<AboutForm | null>(null);
  // Waits for a fresh response, not the cache of an earlier opening.
  if (!initial && image.data && !image.isFetching) {
    const { visibility, description } = image.data;
    setInitial({ visibility, description });
  }
  return (
    <FormDrawer<AboutForm>
      open={open}
      title={image.data ? `编辑镜像 ${image.data.image}` : "编辑镜像"}
      form={form}
      initialValues={initial}
      missing={
        image.error && (
          <ErrorPanel title="镜像没有取到" error={image.error} onRetry={() => void image.refetch()} />
        )
      }
      submitText="保存"
      error={update.error}
      submitting={update.isPending}
      onClose={onClose}
      onSubmit={(body) =>
        update.mutate(
          { id, body },
          {
            onSuccess: () => {
              message.success("已保存", 1.5);
              onClose();
            },
          },
        )
      }
    >
      <AboutFields />
    </FormDrawer>
  );
}
