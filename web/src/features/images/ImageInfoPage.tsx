// 镜像详情: one image, of the public library by its name or of the lab's own by its id.
import { useQuery } from "@tanstack/react-query";
import { Button } from "antd";
import { useNavigate, useSearchParams } from "react-router";
import { visibilityLooks } from "@/shared/images/visibility";
import { isAdmin, useSession } from "@/shared/stores/session";
import { TableSkeleton } from "@/shared/table/TableSkeleton";
import { EmptyPanel } from "@/shared/ui/EmptyPanel";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import type { Failure } from "@/shared/ui/failure";
import { Panel } from "@/shared/ui/Panel";
import { imageQuery, libraryInfoQuery } from "./api";
import { placesText } from "./ImageCells";
import { ImageInfo } from "./ImageInfo";
import { LibraryTags } from "./LibraryTags";
import { libraryLink } from "./links";

export default function ImageInfoPage() {
  const [address] = useSearchParams();
  const navigate = useNavigate();
  const id = address.get("id");
  const image = address.get("image");
  if (id) return <OwnImage key={id} id={id} />;
  if (image) return <LibraryImage key={image} image={image} />;
  return (
    <Panel label="镜像详情">
      <EmptyPanel
        icon="layers"
        text="没有说是哪个镜像"
        action={<Button onClick={() => navigate(libraryLink)}>看看公共镜像库</Button>}
      />
    </Panel>
  );
}

function OwnImage({ id }: { id: string }) {
  const { data, error, refetch } = useQuery(imageQuery(id));
  const admin = useSession(isAdmin);
  if (!data) return <Waiting error={error} onRetry={() => void refetch()} />;
  const { image, digest, described, owner, visibility, description } = data;
  return (
    <ImageInfo
      name={image}
      description={description}
      digest={digest}
      described={described}
      facts={[
        ["所有者", owner.username],
        ["可见范围", visibilityLooks[visibility].label],
        ["位置", placesText(data)],
        ...(admin ? ([["编号", id]] as const) : []),
      ]}
    />
  );
}

function LibraryImage({ image }: { image: string }) {
  const { data, error, refetch } = useQuery(libraryInfoQuery(image));
  if (!data) return <Waiting error={error} onRetry={() => void refetch()} />;
  const platforms = data.platforms.map(({ os, architecture }) => `${os}/${architecture}`);
  return (
    <ImageInfo
      name={data.image}
      description=""
      digest={data.digest}
      described={data}
      facts={platforms.length > 1 ? [["适用平台", platforms.join("、")]] : []}
    >
      <LibraryTags repository={data.repository} tag={data.tag} />
    </ImageInfo>
  );
}

function Waiting({ error, onRetry }: { error: Failure | null; onRetry: () => void }) {
  return (
    <Panel label="镜像详情">
      {error ? (
        <ErrorPanel title="镜像没有取到" error={error} onRetry={onRetry} />
      ) : (
        <TableSkeleton rows={8} rowHeight={32} />
      )}
    </Panel>
  );
}
