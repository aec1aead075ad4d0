// The fields of a request for cards, and of its allocation: server, cards, number, time.
import { useQuery } from "@tanstack/react-query";
import { DatePicker, Form, type FormInstance, Radio, Select } from "antd";
import { allServersQuery } from "@/shared/compute/api";
import { shortModel } from "@/shared/compute/gpu-model";
import { LimitInput } from "@/shared/form/LimitInput";
import type { CardsValues } from "./figures";

interface CardsFieldsProps {
  form: FormInstance;
  /** An administrator fills it in: the server must be chosen, and with exclusive use the cards. */
  decides?: boolean;
}

const asked = [{ required: true, message: "请选择" }];

export function CardsFields({ form, decides = false }: CardsFieldsProps) {
  const servers = useQuery(allServersQuery);
  const server = Form.useWatch<CardsValues["server"]>(["cards", "server"], form);
  const mode = Form.useWatch<CardsValues["mode"] | undefined>(["cards", "mode"], form);
  const cards = servers.data?.items.find(({ id }) => id === server)?.gpus ?? [];
  return (
    <>
      <Form.Item name={["cards", "server"]} label="服务器" rules={decides ? asked : []}>
        <Select<string | null>
          allowClear={!decides}
          loading={servers.isPending}
          placeholder={decides ? "选择服务器" : "由管理员安排"}
          showSearch={{ optionFilterProp: "label" }}
          options={(servers.data?.items ?? []).map(({ id, name }) => ({ value: id, label: name }))}
          notFoundContent={servers.error?.message ?? "没有你能看到的服务器，可以由管理员安排"}
          onChange={() => form.setFieldValue(["cards", "gpus"], [])}
        />
      </Form.Item>
      <Form.Item
        name={["cards", "mode"]}
        label="方式"
        extra="独占：这些卡只有一个人能用；共享：和其他人一起用"
      >
        <Radio.Group
          options={[
            { value: "shared", label: "共享" },
            { value: "exclusive", label: "独占" },
          ]}
        />
      </Form.Item>
      <Form.Item
        name={["cards", "gpus"]}
        label="显卡"
        rules={decides && mode === "exclusive" ? [{ required: true, message: "独占时请指定显卡" }] : []}
        extra={mode === "exclusive" && decides ? "独占时要指定显卡" : "不选是这台服务器的全部卡"}
      >
        <Select<string[]>
          mode="multiple"
          disabled={!server}
          placeholder={server ? "全部卡" : "先选择服务器"}
          optionFilterProp="label"
          options={cards.map((gpu) => ({ value: gpu.id, label: `卡 ${gpu.index} ${shortModel(gpu)}` }))}
        />
      </Form.Item>
      <Form.Item name={["cards", "count"]} label="最多同时用" rules={[{ required: true, message: "请填写" }]}>
        <LimitInput zero="unlimited" max={64} precision={0} unit="张" />
      </Form.Item>
      <Form.Item name={["cards", "valid"]} label="有效期" extra="不填是长期">
        <DatePicker.RangePicker
          aria-label="有效期"
          showTime={{ format: "HH:mm" }}
          format="YYYY-MM-DD HH:mm"
          allowEmpty={[true, true]}
          placeholder={["开始", "结束"]}
          style={{ width: "100%" }}
        />
      </Form.Item>
    </>
  );
}
