// The public page of a link, for visitors with or without a session. The path in the share, and the storage host, are
// in the URL.
import { useQuery } from "@tanstack/react-query";
import { Button } from "antd";
import { useEffect, useState } from "react";
import { useLocation, useSearchParams } from "react-router";
import { publicSettingsQuery } from "@/shared/api/public-settings";
import { readLocal, writeLocal } from "@/shared/lib/local-items";
import { TableSkeleton } from "@/shared/table/TableSkeleton";
import { EmptyPanel } from "@/shared/ui/EmptyPanel";
import { Gone } from "./Gone";
import { ShareCard, ShareFrame } from "./ShareFrame";
import { ShareView } from "./ShareView";
import { hashAndPath, isOwnHost, isWebAddress } from "./spot";

export default function SharePage() {
  const { pathname } = useLocation();
  const [search] = useSearchParams();
  const settings = useQuery(publicSettingsQuery);
  const [trusted, setTrusted] = useState("");
  const named = search.get("diskhost");
  const host = named || readLocal("storageHost") || "/disk";
  const { hash, path } = hashAndPath(pathname);

  // Loaded settings store their own host there; here the link's is kept (SPEC §2).
  useEffect(() => {
    if (!settings.isFetching && named && isWebAddress(named)) writeLocal("storageHost", named);
  }, [named, settings.isFetching]);

  function content() {
    if (hash === "" || !isWebAddress(host)) return <Gone path="/" />;
    const own = isOwnHost(host, settings.data?.storageHost ?? "");
    if (!own && settings.isPending)
      return (
        <ShareCard>
          <TableSkeleton rows={4} rowHeight={44} />
        </ShareCard>
      );
    if (!own && trusted !== host) return <Stranger host={host} onTrust={() => setTrusted(host)} />;
    return <ShareView key={`${host} ${hash}`} spot={{ host, hash, path }} />;
  }
  return <ShareFrame>{content()}</ShareFrame>;
}

/** A link can name any host, whose content would look like ours. */
function Stranger({ host, onTrust }: { host: string; onTrust: () => void }) {
  return (
    <ShareCard title="这个链接的文件不在本站">
      <EmptyPanel
        icon="alert"
        text="文件在另一台服务器上"
        note={`${new URL(host, location.origin).host} 不是本站的存储服务器。确认链接来自可信的人，再打开。`}
        action={<Button onClick={onTrust}>仍要打开</Button>}
      />
    </ShareCard>
  );
}
