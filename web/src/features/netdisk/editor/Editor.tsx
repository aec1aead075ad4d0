// A text file to be read and changed. Loaded on demand.
import { useQuery } from "@tanstack/react-query";
import { App } from "antd";
import { TableSkeleton } from "@/shared/table/TableSkeleton";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import type { Resource } from "../api";
import { useDisk } from "../disk-context";
import { shownName } from "../disk-paths";
import { EditorDesk } from "./EditorDesk";
import { textQuery } from "./text-file";

interface EditorProps {
  file: Resource;
  /** Why it can only be read. */
  readOnly: string | undefined;
  /** Something is not saved. */
  dirty: boolean;
  onDirty: (dirty: boolean) => void;
}

export function Editor({ file, readOnly, dirty, onDirty }: EditorProps) {
  const { host } = useDisk();
  const { message } = App.useApp();
  const { data, error, refetch, dataUpdatedAt } = useQuery(textQuery(host, file.path));

  async function reload() {
    const again = await refetch();
    if (again.error) message.error(`没有重新载入：${again.error.message}`, 2);
    else onDirty(false);
  }

  if (error && !data)
    return (
      <ErrorPanel title={`${shownName(file.name)} 没有打开`} error={error} onRetry={() => void refetch()} />
    );
  if (!data) return <TableSkeleton rows={8} rowHeight={20} />;
  return (
    <EditorDesk
      // Read again, it starts over.
      key={dataUpdatedAt}
      file={file}
      text={data}
      readOnly={readOnly}
      dirty={dirty}
      onDirty={onDirty}
      onReload={() => void reload()}
    />
  );
}
