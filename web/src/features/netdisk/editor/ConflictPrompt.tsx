// Somebody else has saved the file since it was opened: keep theirs or mine. Escape goes back to the text.
import { Button, Flex, Modal } from "antd";
import { Icon } from "@/shared/theme/Icon";

interface ConflictPromptProps {
  name: string;
  saving: boolean;
  onOverwrite: () => void;
  onReload: () => void;
  onClose: () => void;
}

export function ConflictPrompt({ name, saving, onOverwrite, onReload, onClose }: ConflictPromptProps) {
  return (
    <Modal
      open
      title={`${name} 已被别人修改`}
      width={440}
      closeIcon={<Icon name="close" />}
      onCancel={onClose}
      footer={
        <Flex gap={8} justify="end">
          <Button onClick={onClose}>继续编辑</Button>
          <Button onClick={onReload}>放弃我的修改，重新载入</Button>
          <Button danger type="primary" loading={saving} onClick={onOverwrite}>
            用我的覆盖
          </Button>
        </Flex>
      }
    >
      从打开这个文件到现在，别人保存过它。覆盖后，别人的修改不能找回；重新载入后，你没有保存的修改不能找回。
    </Modal>
  );
}
