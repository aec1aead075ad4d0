// A page of images to choose from, in its states.
import type { ReactNode } from "react";
import type { ApiError } from "@/shared/api/problem";
import { TableFoot } from "@/shared/table/TableFoot";
import { TableSkeleton } from "@/shared/table/TableSkeleton";
import { EmptyPanel } from "@/shared/ui/EmptyPanel";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import { RefreshFailed } from "@/shared/ui/RefreshFailed";
import styles from "./ImageBlock.module.css";

/** Images per page. */
export const PAGE = 8;

interface ImageListProps<Image> {
  label: string;
  images: {
    data: { items: readonly Image[]; total: number } | undefined;
    error: ApiError | null;
    refetch: () => unknown;
  };
  page: number;
  onPage: (page: number) => void;
  /** Shown without images; a search without a result has its own text. */
  empty: { text: string; note?: ReactNode; action?: ReactNode };
  searched: boolean;
  render: (image: Image) => ReactNode;
}

export function ImageList<Image>(props: ImageListProps<Image>) {
  const { label, images, page, onPage, empty, searched, render } = props;
  const { data, error } = images;
  const retry = () => void images.refetch();
  if (!data && error) return <ErrorPanel title={`${label}没有取到`} error={error} onRetry={retry} />;
  if (!data) return <TableSkeleton rows={3} rowHeight={56} />;
  return (
    <>
      {error && <RefreshFailed error={error} onRetry={retry} />}
      {data.items.length === 0 && (
        <EmptyPanel
          {...(searched ? { icon: "search", text: "没有符合条件的镜像" } : { icon: "layers", ...empty })}
        />
      )}
      <div className={styles.images} role="radiogroup" aria-label={label}>
        {data.items.map(render)}
      </div>
      {data.total > PAGE && (
        <TableFoot total={data.total} unit="个" list={{ page, size: PAGE, setPage: onPage }} />
      )}
    </>
  );
}
