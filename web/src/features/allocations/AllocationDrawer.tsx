// Creates or changes an allocation: server, subject, cards, amounts, duration.
import { useQuery } from "@tanstack/react-query";
import { App, DatePicker, Form, Input, Radio, Select } from "antd";
import { useState } from "react";
import { allServersQuery } from "@/shared/compute/api";
import { shortModel } from "@/shared/compute/gpu-model";
import { FormDrawer } from "@/shared/form/FormDrawer";
import { FormGroup } from "@/shared/form/FormGroup";
import { LimitInput } from "@/shared/form/LimitInput";
import { groupOptionsQuery } from "@/shared/list/group-options";
import { PersonSelect } from "@/shared/list/PersonSelect";
import {
  type AllocationValues,
  blankAllocation,
  formNameFor,
  type Preset,
  toForm,
  valuesOf,
} from "./allocation-form";
import { type Allocation, useAllocate, useReallocate } from "./api";
import { modeLabels, subjectLabels } from "./words";

interface AllocationDrawerProps {
  open: boolean;
  /** The allocation to change; undefined for a new one. */
  allocation: Allocation | undefined;
  preset: Preset;
  onClose: () => void;
}

const asked = [{ required: true, message: "请选择" }];
const filled = [{ required: true, message: "请填写" }];

export function AllocationDrawer({ open, allocation, preset, onClose }: AllocationDrawerProps) {
  const { message } = App.useApp();
  const [form] = Form.useForm<AllocationValues>();
  const subject = Form.useWatch<AllocationValues["subject"] | undefined>("subject", form);
  const [initial] = useState(() => (allocation ? valuesOf(allocation) : blankAllocation(preset)));
  const allocate = useAllocate();
  const reallocate = useReallocate();
  const change = allocation ? reallocate : allocate;

  function save(values: AllocationValues) {
    const body = toForm({ ...initial, ...values });
    const done = () => {
      message.success(allocation ? "已保存" : "已分配", 1.5);
      onClose();
    };
    if (allocation) reallocate.mutate({ id: allocation.id, body }, { onSuccess: done });
    else allocate.mutate(body, { onSuccess: done });
  }

  return (
    <FormDrawer<AllocationValues>
      title={allocation ? "修改分配" : "新建分配"}
      open={open}
      form={form}
      initialValues={initial}
      submitText={allocation ? "保存" : "分配"}
      error={change.error}
      submitting={change.isPending}
      formName={formNameFor(subject)}
      onSubmit={save}
      onClose={onClose}
    >
      <AllocationFields form={form} />
    </FormDrawer>
  );
}

function AllocationFields({ form }: { form: ReturnType<typeof Form.useForm<AllocationValues>>[0] }) {
  const servers = useQuery(allServersQuery);
  const groups = useQuery(groupOptionsQuery);
  const subject = Form.useWatch<AllocationValues["subject"] | undefined>("subject", form);
  const server = Form.useWatch<AllocationValues["server"] | undefined>("server", form);
  const cards = servers.data?.items.find(({ id }) => id === server)?.gpus ?? [];
  return (
    <>
      <FormGroup title="分配">
        <Form.Item name="server" label="服务器" rules={asked}>
          <Select<string>
            loading={servers.isPending}
            placeholder="选择服务器"
            showSearch={{ optionFilterProp: "label" }}
            options={(servers.data?.items ?? []).map(({ id, name }) => ({ value: id, label: name }))}
            onChange={() => form.setFieldValue("gpus", [])}
          />
        </Form.Item>
        <Form.Item name="subject" label="分配给">
          <Radio.Group
            options={Object.entries(subjectLabels).map(([value, label]) => ({ value, label }))}
            onChange={({ target }) => target.value === "everyone" && form.setFieldValue("mode", "shared")}
          />
        </Form.Item>
        {subject === "user" && (
          <Form.Item name="user" label="用户" rules={asked}>
            <PersonSelect />
          </Form.Item>
        )}
        {subject === "group" && (
          <Form.Item name="group" label="用户组" rules={asked}>
            <Select<number>
              loading={groups.isPending}
              placeholder="选择用户组"
              showSearch={{ optionFilterProp: "label" }}
              options={groups.data ?? []}
            />
          </Form.Item>
        )}
        <Form.Item name="mode" label="方式" extra="独占：这些卡只有他们能用；共享：和其他被分配的人一起用">
          <Radio.Group
            options={Object.entries(modeLabels).map(([value, label]) => ({
              value,
              label,
              disabled: value === "exclusive" && subject === "everyone",
            }))}
          />
        </Form.Item>
        <Form.Item name="gpus" label="显卡" extra="不选是这台服务器的全部卡">
          <Select<string[]>
            mode="multiple"
            placeholder="全部卡"
            optionFilterProp="label"
            options={cards.map((gpu) => ({
              value: gpu.id,
              label: `卡 ${gpu.index} ${shortModel(gpu)}${gpu.fault && "（故障）"}`,
            }))}
          />
        </Form.Item>
      </FormGroup>
      <FormGroup title="每人上限">
        <Form.Item name="instances" label="实例" rules={filled}>
          <LimitInput zero="unlimited" precision={0} unit="个" />
        </Form.Item>
        <Form.Item name="cards" label="显卡数" rules={filled}>
          <LimitInput zero="unlimited" precision={0} unit="张" />
        </Form.Item>
        <Form.Item name="cores" label="CPU" rules={filled}>
          <LimitInput zero="unlimited" precision={1} unit="核" />
        </Form.Item>
        <Form.Item name="memoryGb" label="内存" rules={filled}>
          <LimitInput zero="unlimited" precision={1} unit="GB" />
        </Form.Item>
      </FormGroup>
      <FormGroup title="其他">
        <Form.Item name="valid" label="有效期" extra="不填是长期；到期后不能再创建，已有的实例保留">
          <DatePicker.RangePicker
            aria-label="有效期"
            showTime={{ format: "HH:mm" }}
            format="YYYY-MM-DD HH:mm"
            allowEmpty={[true, true]}
            placeholder={["开始", "结束"]}
            style={{ width: "100%" }}
          />
        </Form.Item>
        <Form.Item name="note" label="备注">
          <Input.TextArea autoSize={{ minRows: 1, maxRows: 4 }} maxLength={500} />
        </Form.Item>
      </FormGroup>
    </>
  );
}
