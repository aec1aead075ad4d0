// 服务器上: images that are on the chosen server already, so that nothing is pulled. Administrators hide those that users
// need not see.
import { useQuery } from "@tanstack/react-query";
import { App, Button } from "antd";
import type { ServerView } from "@/shared/compute/api";
import { LinkButton } from "@/shared/frame/LinkButton";
import { formatSize } from "@/shared/lib/numbers";
import { relativeTime } from "@/shared/lib/time";
import { isAdmin, useSession } from "@/shared/stores/session";
import { type OfferedImage, offeredImagesQuery, useOfferImage } from "../api";
import { ImageChoice } from "./ImageChoice";
import { ImageList, PAGE } from "./ImageList";

interface ServerImagesProps {
  /** The search text. */
  q: string;
  page: number;
  onPage: (page: number) => void;
  chosen: string;
  server: ServerView;
  onChoose: (image: string) => void;
}

export function ServerImages({ q, page, onPage, chosen, server, onChoose }: ServerImagesProps) {
  const images = useQuery(offeredImagesQuery(server.id, { page, size: PAGE, q }));
  const admin = useSession(isAdmin);
  return (
    <ImageList<OfferedImage>
      label={`${server.name} 上的镜像`}
      images={images}
      page={page}
      onPage={onPage}
      empty={{
        text: `${server.name} 上还没有镜像`,
        note: admin ? "第一个镜像从哪里来，有几种办法" : "请联系管理员准备镜像，或在下面填写镜像名称",
        action: admin && <LinkButton to="/images/image_prepare">准备镜像</LinkButton>,
      }}
      searched={q !== ""}
      render={(one) => (
        <ImageChoice
          key={one.image}
          name={one.image}
          note={[`${relativeTime(one.created)}制作`, one.hidden && "已对用户隐藏"]
            .filter(Boolean)
            .join(" · ")}
          size={formatSize(one.size)}
          checked={chosen === one.image}
          onChoose={() => onChoose(one.image)}
        >
          {admin && <Offer one={one} />}
        </ImageChoice>
      )}
    />
  );
}

function Offer({ one: { image, hidden } }: { one: OfferedImage }) {
  const { message } = App.useApp();
  const offer = useOfferImage();
  const verb = hidden ? "显示" : "隐藏";
  return (
    <Button
      type="link"
      size="small"
      aria-label={`${verb} ${image}`}
      loading={offer.isPending}
      onClick={() =>
        offer.mutate(
          { image, offered: hidden },
          {
            onSuccess: () => message.success(hidden ? "用户又能看到它了" : "不再向用户列出它", 1.5),
            onError: (error) => message.error(error.message, 2),
          },
        )
      }
    >
      {verb}
    </Button>
  );
}
