// The content of a link: a folder, a file, the question for its password, or why there is nothing to see.
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { TableSkeleton } from "@/shared/table/TableSkeleton";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import { RefreshFailed } from "@/shared/ui/RefreshFailed";
import type { ArchiveFormat } from "../api";
import { diskRoot } from "../disk-paths";
import { sharedQuery } from "./api";
import { CollectView } from "./CollectView";
import { Gone } from "./Gone";
import { PasswordForm } from "./PasswordForm";
import { usePass } from "./pass";
import { SharedFolder } from "./SharedFolder";
import { ShareCard } from "./ShareFrame";
import { ShareHero } from "./ShareHero";
import styles from "./ShareView.module.css";
import { type Spot, spotAddress } from "./spot";
import { VisitorCrumbs } from "./VisitorCrumbs";

export function ShareView({ spot }: { spot: Spot }) {
  const { pass, setPass } = usePass(spot);
  const [algo, setAlgo] = useState<ArchiveFormat>("zip");
  const { data, error, isPlaceholderData, refetch } = useQuery(sharedQuery(spot, pass));
  const heading = useRef<HTMLHeadingElement>(null);
  const retry = () => void refetch();

  // The clicked link disappears with its folder; a screen reader continues at the new folder's name.
  const shown = isPlaceholderData ? undefined : data?.resource.path;
  const before = useRef<string>(undefined);
  useEffect(() => {
    if (shown === undefined) return;
    if (before.current !== undefined && before.current !== shown) heading.current?.focus();
    before.current = shown;
  }, [shown]);

  if (error?.status === 401) return <PasswordForm spot={spot} again={pass !== null} onOpen={setPass} />;
  if (error?.status === 404)
    return <Gone path={spot.path} root={spotAddress(spot, diskRoot)} onRetry={retry} />;
  if (!data)
    return (
      <ShareCard>
        {error ? (
          <ErrorPanel title="分享没有打开" error={error} onRetry={retry} />
        ) : (
          <TableSkeleton rows={6} rowHeight={44} />
        )}
      </ShareCard>
    );
  const { resource, expire } = data;
  const collect = resource.sharing?.collect;
  if (collect)
    return (
      <CollectView
        spot={spot}
        pass={pass}
        name={resource.name}
        by={resource.sharing?.by ?? ""}
        collect={collect}
        expire={expire}
        onEnd={retry}
      />
    );
  return (
    <>
      {error && <RefreshFailed error={error} onRetry={retry} />}
      <div className={resource.isDir ? styles.folder : styles.file} inert={isPlaceholderData}>
        <ShareHero
          spot={spot}
          pass={pass}
          file={resource}
          expire={expire}
          algo={algo}
          onAlgo={setAlgo}
          heading={heading}
        >
          {!resource.isDir && <VisitorCrumbs spot={spot} root={resource.name} isDir={false} />}
        </ShareHero>
        {resource.isDir && (
          <SharedFolder key={resource.path} spot={spot} pass={pass} folder={resource} algo={algo} />
        )}
      </div>
    </>
  );
}
