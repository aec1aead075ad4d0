// Changes the description and visibility of a dataset.
import { App, Form } from "antd";
import { useState } from "react";
import { FormDrawer } from "@/shared/form/FormDrawer";
import { type DatasetDetail, useUpdateDataset } from "./api";
import { DatasetFields } from "./DatasetFields";
import { type AboutFields, aboutOf, changePayload } from "./dataset-form";

interface EditDatasetDrawerProps {
  open: boolean;
  dataset: DatasetDetail;
  onClose: () => void;
}

export function EditDatasetDrawer({ open, dataset, onClose }: EditDatasetDrawerProps) {
  const { message } = App.useApp();
  const [form] = Form.useForm<AboutFields>();
  const update = useUpdateDataset(dataset.id);
  // What was there when it was opened: a look meanwhile changes nothing that is being typed.
  const [initial] = useState(() => aboutOf(dataset));
  return (
    <FormDrawer<AboutFields>
      open={open}
      title={`编辑数据集 ${dataset.name}`}
      form={form}
      initialValues={initial}
      submitText="保存"
      error={update.error}
      submitting={update.isPending}
      onClose={onClose}
      onSubmit={(fields) =>
        update.mutate(changePayload(fields), {
          onSuccess: () => {
            message.success("已保存", 1.5);
            onClose();
          },
        })
      }
    >
      <DatasetFields />
    </FormDrawer>
  );
}
