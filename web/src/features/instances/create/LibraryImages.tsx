// 公共镜像库: choosing a repository chooses its newest tag; the other tags are offered then.
import { useQuery } from "@tanstack/react-query";
import { Select } from "antd";
import { libraryQuery, libraryTagsQuery, type PublicImage } from "@/shared/images/api";
import { formatSize } from "@/shared/lib/numbers";
import { relativeTime } from "@/shared/lib/time";
import styles from "./ImageBlock.module.css";
import { ImageChoice } from "./ImageChoice";
import { ImageList, PAGE } from "./ImageList";
import { isOf } from "./image-name";

interface LibraryImagesProps {
  /** The search text. */
  q: string;
  page: number;
  onPage: (page: number) => void;
  chosen: string;
  onChoose: (image: string) => void;
}

export function LibraryImages({ q, page, onPage, chosen, onChoose }: LibraryImagesProps) {
  const library = useQuery(libraryQuery({ page, size: PAGE, q }));
  return (
    <ImageList<PublicImage>
      label="公共镜像库"
      images={library}
      page={page}
      onPage={onPage}
      empty={{ text: "公共镜像库里还没有镜像" }}
      searched={q !== ""}
      render={({ repository, image, tag, tags, size, created }) => {
        const checked = isOf(chosen, image);
        return (
          <ImageChoice
            key={repository}
            name={repository}
            note={[tag, created && `${relativeTime(created)}更新`, `${tags.length} 个标签`]
              .filter(Boolean)
              .join(" · ")}
            size={size == null ? undefined : formatSize(size)}
            checked={checked}
            closed={tag ? undefined : "这个仓库里没有镜像"}
            onChoose={() => onChoose(image)}
          >
            {checked && <Tags repository={repository} chosen={chosen} onChoose={onChoose} />}
          </ImageChoice>
        );
      }}
    />
  );
}

type TagsProps = { repository: string } & Pick<LibraryImagesProps, "chosen" | "onChoose">;

function Tags({ repository, chosen, onChoose }: TagsProps) {
  const tags = useQuery(libraryTagsQuery(repository));
  return (
    <Select
      aria-label={`${repository} 的标签`}
      className={styles.tags}
      showSearch={{ optionFilterProp: "label" }}
      value={chosen}
      loading={tags.isPending}
      options={(tags.data?.items ?? []).map(({ image, tag }) => ({ value: image, label: tag }))}
      // Until its tags are known, the chosen one is shown by the tag in its name.
      labelRender={({ label }) => label ?? chosen.slice(chosen.lastIndexOf(":") + 1)}
      notFoundContent={tags.error ? `标签没有取到：${tags.error.message}` : "没有这个标签"}
      onChange={onChoose}
    />
  );
}
