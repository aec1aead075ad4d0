// 我的镜像: saved and built images that the user may use: their own, those of their groups, public ones.
import { useQuery } from "@tanstack/react-query";
import type { ServerView } from "@/shared/compute/api";
import { type Image, imagesQuery } from "@/shared/images/api";
import { visibilityLooks } from "@/shared/images/visibility";
import { formatSize } from "@/shared/lib/numbers";
import { relativeTime } from "@/shared/lib/time";
import { useSession } from "@/shared/stores/session";
import { ImageChoice } from "./ImageChoice";
import { ImageList, PAGE } from "./ImageList";
import { placeOf } from "./image-name";

interface OwnImagesProps {
  /** The search text. */
  q: string;
  page: number;
  onPage: (page: number) => void;
  chosen: string;
  /** Where the instance will be. */
  server: ServerView | undefined;
  onChoose: (image: string) => void;
}

export function OwnImages({ q, page, onPage, chosen, server, onChoose }: OwnImagesProps) {
  const images = useQuery(imagesQuery({ page, size: PAGE, sort: "created", order: "desc", q, filters: {} }));
  const me = useSession((session) => session.id);
  return (
    <ImageList<Image>
      label="我的镜像"
      images={images}
      page={page}
      onPage={onPage}
      empty={{ text: "还没有镜像", note: "在实例里装好环境后，“另存为镜像”就会出现在这里" }}
      searched={q !== ""}
      render={(one) => {
        const { id, image, description, owner, visibility, created, size } = one;
        const place = placeOf(one, server);
        return (
          <ImageChoice
            key={id}
            name={image}
            note={[
              place.words,
              owner.id === me ? visibilityLooks[visibility].label : owner.username,
              relativeTime(created),
              description,
            ]
              .filter(Boolean)
              .join(" · ")}
            size={formatSize(size)}
            checked={chosen === image}
            closed={place.closed}
            onChoose={() => onChoose(image)}
          />
        );
      }}
    />
  );
}
