// A new secret, this once. It closes by its button alone: a click beside it would lose the secret.
import { Alert, Button, Modal } from "antd";
import { CopyText } from "@/shared/ui/CopyText";
import styles from "./SecretShown.module.css";

export interface NewSecret {
  /** 访问令牌 夜间备份 */
  title: string;
  secret: string;
}

interface SecretShownProps {
  /** Null when nothing is shown. */
  made: NewSecret | null;
  onClose: () => void;
}

export function SecretShown({ made, onClose }: SecretShownProps) {
  return (
    <Modal
      open={made !== null}
      title={made?.title}
      width={480}
      closable={false}
      keyboard={false}
      mask={{ closable: false }}
      destroyOnHidden
      footer={
        <Button type="primary" onClick={onClose}>
          已经保存好了
        </Button>
      }
    >
      <Alert type="warning" showIcon title="只显示这一次。请现在复制到安全的地方，关闭后就看不到了。" />
      {made && (
        <p className={styles.secret}>
          <code>{made.secret}</code>
          <CopyText text={made.secret}>复制</CopyText>
        </p>
      )}
    </Modal>
  );
}
