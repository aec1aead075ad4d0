// The fields that creating and editing a dataset have in common.
import { useQuery } from "@tanstack/react-query";
import { Form, Input, Select } from "antd";
import { FormGroup } from "@/shared/form/FormGroup";
import { MultiSelect } from "@/shared/form/MultiSelect";
import { visibilityLooks, visibilityOptions } from "@/shared/images/visibility";
import { labelsQuery } from "./api";
import type { AboutFields } from "./dataset-form";
import { typeOptions } from "./words";

export function DatasetFields() {
  const form = Form.useFormInstance<AboutFields>();
  const visibility = Form.useWatch("visibility", form);
  const labels = useQuery(labelsQuery);
  const options = (labels.data?.items ?? []).map(({ id, name }) => ({ value: id, label: name }));
  return (
    <>
      <FormGroup title="说明">
        <Form.Item name="title" label="标题">
          <Input placeholder="选填，例如：手写数字识别" autoComplete="off" maxLength={100} />
        </Form.Item>
        <Form.Item name="type" label="类型">
          <Select options={typeOptions} />
        </Form.Item>
        <Form.Item name="labels" label="标签">
          <MultiSelect<string>
            options={options}
            loading={labels.isLoading}
            showSearch={{ optionFilterProp: "label" }}
            placeholder={options.length > 0 ? "选填" : "管理员还没有添加标签"}
            maxCount={20}
          />
        </Form.Item>
        <Form.Item name="description" label="介绍" extra="支持 Markdown">
          <Input.TextArea
            placeholder="选填，例如内容、目录结构、使用方法"
            autoSize={{ minRows: 4, maxRows: 14 }}
            maxLength={50_000}
          />
        </Form.Item>
        <Form.Item name="source" label="来源">
          <Input placeholder="选填，例如下载网址" autoComplete="off" maxLength={500} />
        </Form.Item>
        <Form.Item name="licence" label="许可协议">
          <Input placeholder="选填，例如 CC BY 4.0" autoComplete="off" maxLength={100} />
        </Form.Item>
        <Form.Item name="cover" label="封面" extra="数据集中一张图片的相对路径，例如 images/cover.png">
          <Input placeholder="选填" autoComplete="off" spellCheck={false} maxLength={500} />
        </Form.Item>
      </FormGroup>
      <FormGroup title="权限">
        <Form.Item name="visibility" label="可见范围" extra={visibility && visibilityLooks[visibility].note}>
          <Select options={visibilityOptions} />
        </Form.Item>
      </FormGroup>
    </>
  );
}
