// Asks for the format in which several entries, or a folder, are downloaded. Enter confirms, Escape closes.

import { App, Modal } from "antd";
import { useState } from "react";
import { asApiError } from "@/shared/api/problem";
import { formatCount } from "@/shared/lib/numbers";
import { Icon } from "@/shared/theme/Icon";
import { type ArchiveFormat, downloadArchive, type Item } from "../api";
import { useDisk } from "../disk-context";
import { asFolder, shownName } from "../disk-paths";
import { FormatChoice } from "./FormatChoice";

interface DownloadPromptProps {
  items: readonly Item[];
  /** The folder that they lie in. */
  folder: string;
  onClose: () => void;
}

export function DownloadPrompt({ items, folder, onClose }: DownloadPromptProps) {
  const { host } = useDisk();
  const { message } = App.useApp();
  const [format, setFormat] = useState<ArchiveFormat>("zip");
  const [first] = items;
  const only = items.length === 1 && first?.isDir ? first : null;

  function start() {
    onClose();
    const [place, names] = only ? [asFolder(only.path), []] : [folder, items.map(({ name }) => name)];
    downloadArchive(host, place, names, format).catch((cause: unknown) => {
      message.error(`下载失败：${asApiError(cause).message}`, 2);
    });
  }

  return (
    <Modal
      open
      title={`打包下载 ${only ? shownName(only.name) : `${formatCount(items.length)} 项`}`}
      width={440}
      okText="下载"
      cancelText="取消"
      okButtonProps={{ autoFocus: true }}
      closeIcon={<Icon name="close" />}
      onOk={start}
      onCancel={onClose}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          start();
        }}
      >
        <FormatChoice value={format} onChange={setFormat} />
        {/* So that Enter confirms from the formats too. */}
        <button type="submit" hidden />
      </form>
    </Modal>
  );
}
