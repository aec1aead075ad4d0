// The total content of a folder, counted only on request.
import { useQuery } from "@tanstack/react-query";
import { App, Button } from "antd";
import { useEffect, useState } from "react";
import { formatCount, formatSize } from "@/shared/lib/numbers";
import { type Item, totalQuery } from "../api";
import { useDisk } from "../disk-context";
import { asFolder } from "../disk-paths";

export function FolderTotal({ item }: { item: Item }) {
  const { host } = useDisk();
  const { message } = App.useApp();
  const [wanted, setWanted] = useState(false);
  const { data, error, isFetching, refetch } = useQuery({
    ...totalQuery(host, asFolder(item.path)),
    enabled: wanted,
  });
  useEffect(() => {
    if (error) message.error(`大小没有算出来：${error.message}`, 2);
  }, [error, message]);
  return (
    <>
      <dt>大小</dt>
      <dd>
        {data ? (
          `${formatSize(data.bytes)}（${formatCount(data.files)} 个文件，${formatCount(data.folders)} 个文件夹）`
        ) : (
          <Button
            size="small"
            loading={isFetching}
            onClick={() => (wanted ? void refetch() : setWanted(true))}
          >
            {error ? "重试" : "计算大小"}
          </Button>
        )}
      </dd>
    </>
  );
}
