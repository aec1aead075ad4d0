// Information about the selection, or about the open folder.
import { Modal } from "antd";
import { formatCount, formatSize } from "@/shared/lib/numbers";
import { fullTime } from "@/shared/lib/time";
import { Icon } from "@/shared/theme/Icon";
import { CopyText } from "@/shared/ui/CopyText";
import type { Item } from "../api";
import { shownName } from "../disk-paths";
import { kindOf } from "../kinds";
import { Checksums } from "./Checksums";
import { FolderTotal } from "./FolderTotal";
import styles from "./InfoPrompt.module.css";

interface InfoPromptProps {
  items: readonly Item[];
  onClose: () => void;
}

export function InfoPrompt({ items, onClose }: InfoPromptProps) {
  const [only, ...others] = items;
  if (!only) return null;
  return (
    <Modal open title="信息" width={480} closeIcon={<Icon name="close" />} footer={null} onCancel={onClose}>
      {others.length === 0 ? <OneItem item={only} /> : <ManyItems items={items} />}
    </Modal>
  );
}

function ManyItems({ items }: { items: readonly Item[] }) {
  const folders = items.filter((item) => item.isDir).length;
  const size = items.reduce((sum, item) => sum + (item.isDir ? 0 : item.size), 0);
  return (
    <dl className={styles.facts}>
      <dt>选中</dt>
      <dd>
        {formatCount(folders)} 个文件夹，{formatCount(items.length - folders)} 个文件
      </dd>
      <dt>文件大小</dt>
      <dd>{formatSize(size)}（不含文件夹里的）</dd>
    </dl>
  );
}

function OneItem({ item }: { item: Item }) {
  const { label } = kindOf(item);
  return (
    <dl className={styles.facts}>
      <dt>名称</dt>
      <dd>{shownName(item.name)}</dd>
      <dt>类型</dt>
      <dd>
        {label}
        {item.isSymlink && "（链接）"}
      </dd>
      {!item.isDir && (
        <>
          <dt>大小</dt>
          <dd>
            {formatSize(item.size)}（{formatCount(item.size)} 字节）
          </dd>
        </>
      )}
      <dt>修改时间</dt>
      <dd>{fullTime(item.modified)}</dd>
      <dt>位置</dt>
      <dd className={styles.copied}>
        {shownName(item.path)} <CopyText text={item.path} label="复制位置" />
      </dd>
      {item.isDir ? <FolderTotal item={item} /> : <Checksums item={item} />}
    </dl>
  );
}
