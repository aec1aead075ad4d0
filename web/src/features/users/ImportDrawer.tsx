// Imports many users from a pasted table or a CSV file: first a check that creates nothing, then the creation, then the
// generated passwords. Faulty lines are reported one by one and do not stop the others.
import { useQuery } from "@tanstack/react-query";
import { App, Button, ConfigProvider, Drawer, Flex } from "antd";
import { useState } from "react";
import { drawerClose } from "@/shared/form/drawer-close";
import { formTheme } from "@/shared/form/form-looks";
import { usePhone } from "@/shared/ui/usePhone";
import { newUserQuery, useBatchCreate } from "./api";
import { ImportReport } from "./ImportReport";
import { ImportSource } from "./ImportSource";
import { countRows, withPassword } from "./user-table-text";

interface ImportDrawerProps {
  open: boolean;
  onClose: () => void;
}

export function ImportDrawer({ open, onClose }: ImportDrawerProps) {
  const { message, modal } = App.useApp();
  const phone = usePhone();
  const [text, setText] = useState("");
  const [kept, setKept] = useState(false);
  const [chosen, setChosen] = useState<boolean>();
  const defaults = useQuery({ ...newUserQuery, enabled: open });
  const mustChangePassword = chosen ?? defaults.data?.mustChangePassword ?? true;
  const check = useBatchCreate();
  const create = useBatchCreate();
  const report = create.data ?? check.data;
  const good = check.data?.lines.filter((line) => line.ok).length ?? 0;
  const busy = check.isPending || create.isPending;
  const error = create.error ?? check.error;

  function startOver() {
    check.reset();
    create.reset();
  }

  function close() {
    if (busy) return;
    const losesPasswords = create.data && !kept && withPassword(create.data.lines).length > 0;
    const losesText = !create.data && text.trim() !== "";
    if (!losesPasswords && !losesText) {
      onClose();
      return;
    }
    modal.confirm({
      title: losesPasswords ? "关闭后看不到这些密码" : "放弃填写的内容？",
      content: losesPasswords
        ? "系统生成的初始密码只显示这一次，请先复制或下载。"
        : "表格还没有创建成用户，关闭后填写的内容不会保留。",
      okText: losesPasswords ? "仍然关闭" : "放弃",
      okButtonProps: { danger: true },
      focusable: { autoFocusButton: "cancel" },
      cancelText: losesPasswords ? "返回" : "继续填写",
      onOk: onClose,
    });
  }

  function createAll() {
    create.mutate(
      { text, dryRun: false, mustChangePassword },
      { onSuccess: ({ created }) => message.success(`已创建 ${created} 人`, 1.5) },
    );
  }

  return (
    <ConfigProvider componentSize="medium" theme={formTheme(phone)}>
      <Drawer
        title="批量创建用户"
        open={open}
        onClose={close}
        size={phone ? "100%" : 720}
        destroyOnHidden
        closable={drawerClose}
        footer={
          <Flex gap={8} justify="end" style={{ padding: "4px 0" }}>
            {create.data ? (
              <Button type="primary" onClick={close}>
                完成
              </Button>
            ) : check.data ? (
              <>
                <Button onClick={startOver} disabled={busy}>
                  返回修改
                </Button>
                <Button type="primary" disabled={good === 0} loading={create.isPending} onClick={createAll}>
                  创建 {good} 人
                </Button>
              </>
            ) : (
              <>
                <Button onClick={close} disabled={busy}>
                  取消
                </Button>
                <Button
                  type="primary"
                  disabled={countRows(text) === 0}
                  loading={check.isPending}
                  onClick={() => check.mutate({ text, dryRun: true, mustChangePassword })}
                >
                  检查
                </Button>
              </>
            )}
          </Flex>
        }
      >
        {report ? (
          <ImportReport
            report={report}
            created={create.data !== undefined}
            error={error}
            onKept={() => setKept(true)}
          />
        ) : (
          <ImportSource
            text={text}
            onText={setText}
            mustChange={mustChangePassword}
            onMustChange={setChosen}
            error={error}
          />
        )}
      </Drawer>
    </ConfigProvider>
  );
}
