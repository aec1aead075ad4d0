// Downloads all rows that match the filters as a CSV file.
import { useMutation } from "@tanstack/react-query";
import { App, Button } from "antd";
import dayjs from "dayjs";
import { Icon } from "@/shared/theme/Icon";
import { saveFile } from "@/shared/ui/save-file";

interface ExportButtonProps {
  /** The file's name without date and ending. */
  name: string;
  load: () => Promise<Blob>;
}

export function ExportButton({ name, load }: ExportButtonProps) {
  const { message } = App.useApp();
  const fetching = useMutation({
    mutationFn: load,
    onSuccess: (csv) => saveFile(`${name}-${dayjs().format("YYYYMMDD-HHmm")}.csv`, csv),
    onError: (error) => message.error(`没有导出：${error.message}`, 2),
  });
  return (
    <Button
      icon={<Icon name="download" size={14} />}
      loading={fetching.isPending}
      onClick={() => fetching.mutate()}
    >
      导出 CSV
    </Button>
  );
}
