// An announcement to make or to put better.
import { App, Checkbox, DatePicker, Form, Input } from "antd";
import dayjs, { type Dayjs } from "dayjs";
import { useState } from "react";
import type { Announcement } from "@/shared/api/announcements";
import { FormDrawer } from "@/shared/form/FormDrawer";
import { useAnnounce } from "./api";

interface Values {
  title: string;
  content: string;
  important: boolean;
  until: Dayjs | null;
}

interface AnnouncementDrawerProps {
  open: boolean;
  /** Null for a new one. */
  one: Announcement | null;
  onClose: () => void;
}

export function AnnouncementDrawer({ open, one, onClose }: AnnouncementDrawerProps) {
  const { message } = App.useApp();
  const [form] = Form.useForm<Values>();
  const announce = useAnnounce();
  const [initial] = useState<Values>({
    title: one?.title ?? "",
    content: one?.content ?? "",
    important: one?.important ?? false,
    until: one?.until ? dayjs(one.until) : null,
  });

  function submit({ until, ...rest }: Values) {
    const body = { ...rest, ...(until && { until: until.toISOString() }) };
    const done = () => {
      message.success(one ? "已保存" : "公告已发布", 1.5);
      onClose();
    };
    announce.mutate({ id: one?.id, body }, { onSuccess: done });
  }

  return (
    <FormDrawer<Values>
      open={open}
      title={one ? "编辑公告" : "发公告"}
      form={form}
      initialValues={initial}
      submitText={one ? "保存" : "发布"}
      error={announce.error}
      submitting={announce.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <Form.Item
        name="title"
        label="标题"
        rules={[{ required: true, whitespace: true, message: "请填写标题" }]}
      >
        <Input maxLength={100} autoComplete="off" />
      </Form.Item>
      <Form.Item name="content" label="内容">
        <Input.TextArea autoSize={{ minRows: 4, maxRows: 12 }} maxLength={5000} />
      </Form.Item>
      <Form.Item name="important" label="重要" valuePropName="checked">
        <Checkbox>排在最前，并且醒目</Checkbox>
      </Form.Item>
      <Form.Item name="until" label="显示到" extra="不填是一直显示，直到删除">
        <DatePicker showTime={{ format: "HH:mm" }} format="YYYY-MM-DD HH:mm" style={{ width: "100%" }} />
      </Form.Item>
    </FormDrawer>
  );
}
