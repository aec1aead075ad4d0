// One link, to be scanned or copied.
import { Modal } from "antd";
import { Icon } from "@/shared/theme/Icon";
import { nameOf, shownName } from "../disk-paths";
import { type ShareLink, shareAddress } from "./api";
import { ShareAddress } from "./ShareAddress";

interface ShowSharePromptProps {
  host: string;
  link: ShareLink;
  onClose: () => void;
}

export function ShowSharePrompt({ host, link, onClose }: ShowSharePromptProps) {
  return (
    <Modal
      open
      title={`${shownName(nameOf(link.path))} 的分享链接`}
      width={440}
      closeIcon={<Icon name="close" />}
      footer={null}
      onCancel={onClose}
    >
      <ShareAddress address={shareAddress(host, link.hash)} />
    </Modal>
  );
}
