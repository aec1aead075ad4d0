// In place of a server or instance that is loading, missing, or failed to load.
import type { ApiError } from "@/shared/api/problem";
import { LinkButton } from "@/shared/frame/LinkButton";
import { TableSkeleton } from "@/shared/table/TableSkeleton";
import { EmptyPanel } from "@/shared/ui/EmptyPanel";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import { PageHeader } from "@/shared/ui/PageHeader";
import { Panel } from "@/shared/ui/Panel";
import { links } from "./links";

interface DetailGapProps {
  title: string;
  error: ApiError | null;
  onRetry: () => void;
  /** Shown when it does not exist or may not be seen. */
  missing: { text: string; note: string };
  /** Shown when the request failed. */
  failed: string;
}

export function DetailGap({ title, error, onRetry, missing, failed }: DetailGapProps) {
  return (
    <>
      <PageHeader title={title} />
      <Panel label={title}>
        {!error && <TableSkeleton rows={8} rowHeight={40} />}
        {error?.status === 404 && (
          <EmptyPanel
            icon="server"
            {...missing}
            action={<LinkButton to={links.servers}>去服务器列表</LinkButton>}
          />
        )}
        {error && error.status !== 404 && <ErrorPanel title={failed} error={error} onRetry={onRetry} />}
      </Panel>
    </>
  );
}
