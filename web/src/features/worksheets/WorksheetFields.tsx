// The fields of an order, including those of its type.
import { useQuery } from "@tanstack/react-query";
import { Form, type FormInstance, Input, Radio, Select } from "antd";
import { profileQuery } from "@/shared/api/profile";
import { myInstancesQuery } from "@/shared/compute/api";
import { FormGroup } from "@/shared/form/FormGroup";
import { LimitInput } from "@/shared/form/LimitInput";
import { UnitInput } from "@/shared/form/UnitInput";
import { useSession } from "@/shared/stores/session";
import type { WorksheetKind, WorksheetPriority } from "@/shared/worksheets/api";
import { CardsFields } from "@/shared/worksheets/CardsFields";
import { type AskedQuotas, type CardsValues, quotaFields } from "@/shared/worksheets/figures";
import { kindLabels, optionsOf, priorityLabels } from "@/shared/worksheets/words";
import { AttachmentsField } from "./AttachmentsField";

export const longestTitle = 100;
export const longestContent = 5000;

export interface WorksheetValues {
  type: WorksheetKind;
  title: string;
  content: string;
  priority: WorksheetPriority;
  attachments?: string[];
  instance?: string | null;
  quotas?: AskedQuotas;
  cards?: CardsValues;
}

interface WorksheetFieldsProps {
  form: FormInstance<WorksheetValues>;
  /** The type, the files and the instance cannot be changed. */
  editing?: boolean;
}

/** Which are about an instance, as often as not. */
const concernsInstance: readonly WorksheetKind[] = ["port", "fault", "image"];

const hints: Readonly<Record<WorksheetKind, string>> = {
  quota: "为什么需要、用多久",
  cards: "做什么实验、为什么需要、用多久",
  account: "例如：加入用户组、改用户名、忘记密码",
  image: "需要什么镜像，或者镜像有什么问题",
  dataset: "数据集的名称、来源、大小",
  port: "哪个端口、做什么用",
  fault: "发生了什么、从什么时候开始、怎样重现",
  other: "说说需要什么",
};

const asked = (message: string) => [{ required: true, whitespace: true, message }];

export function WorksheetFields({ form, editing = false }: WorksheetFieldsProps) {
  const type: WorksheetKind = Form.useWatch("type", form) ?? form.getFieldValue("type");
  return (
    <>
      {!editing && (
        <Form.Item name="type" label="类型">
          <Select options={optionsOf(kindLabels)} />
        </Form.Item>
      )}
      <Form.Item name="title" label="标题" rules={asked("请填写标题")}>
        <Input maxLength={longestTitle} autoComplete="off" />
      </Form.Item>
      {type === "quota" && <AskedQuotaFields />}
      {type === "cards" && (
        <FormGroup title="申请的显卡">
          <CardsFields form={form} />
        </FormGroup>
      )}
      {!editing && concernsInstance.includes(type) && <InstanceField />}
      <Form.Item name="content" label="说明" rules={asked("请填写说明")}>
        <Input.TextArea
          placeholder={hints[type]}
          autoSize={{ minRows: 4, maxRows: 12 }}
          maxLength={longestContent}
        />
      </Form.Item>
      <Form.Item name="priority" label="优先级">
        <Radio.Group options={optionsOf(priorityLabels)} />
      </Form.Item>
      {!editing && (
        <Form.Item name="attachments" label="附件">
          <AttachmentsField />
        </Form.Item>
      )}
    </>
  );
}

/** Each beside the present quota. */
function AskedQuotaFields() {
  const id = useSession((session) => session.id);
  const present = useQuery(profileQuery(id)).data;
  return (
    <FormGroup title="调整为（不改的留空）">
      {quotaFields.map(({ name, api, label, unit, precision, zero, text }) => {
        const field = { precision, unit, placeholder: present ? `现在 ${text(present[api])}` : "不变" };
        return (
          <Form.Item key={name} name={["quotas", name]} label={label}>
            {zero ? <LimitInput zero={zero} {...field} /> : <UnitInput min={0} {...field} />}
          </Form.Item>
        );
      })}
    </FormGroup>
  );
}

function InstanceField() {
  const instances = useQuery(myInstancesQuery);
  return (
    <Form.Item name="instance" label="实例">
      <Select<string>
        allowClear
        loading={instances.isPending}
        placeholder="和哪个实例有关（可以不选）"
        options={(instances.data?.items ?? []).map(({ id, name }) => ({ value: id, label: name }))}
        notFoundContent={instances.error?.message ?? "没有实例"}
      />
    </Form.Item>
  );
}
