// The image: a recently used one, one of the public library, a saved one, or any other by its name.
import { useQuery } from "@tanstack/react-query";
import { Input, Segmented } from "antd";
import { useState } from "react";
import { publicSettingsQuery } from "@/shared/api/public-settings";
import type { ServerView } from "@/shared/compute/api";
import { LibraryUnset } from "@/shared/images/LibraryUnset";
import { relativeTime } from "@/shared/lib/time";
import { SearchInput } from "@/shared/table/SearchInput";
import { usePhone } from "@/shared/ui/usePhone";
import type { RecentImage } from "../api";
import { Block, Choice } from "./Block";
import type { Faults } from "./CreatePage";
import type { Draft } from "./draft";
import styles from "./ImageBlock.module.css";
import { ImageChoice } from "./ImageChoice";
import { LibraryImages } from "./LibraryImages";
import { OwnImages } from "./OwnImages";
import { ServerImages } from "./ServerImages";

interface ImageBlockProps {
  draft: Draft;
  faults: Faults;
  server: ServerView | undefined;
  images: readonly RecentImage[];
  onChange: (part: Partial<Draft>) => void;
}

type Source = "recent" | "server" | "library" | "own";

const sources: readonly { value: Source; label: string }[] = [
  { value: "recent", label: "最近使用" },
  { value: "server", label: "服务器上" },
  { value: "library", label: "公共镜像库" },
  { value: "own", label: "我的镜像" },
];

/** The shown source. */
interface Look {
  /** Null: where there is something. */
  source: Source | null;
  q: string;
  page: number;
}

const firstLook: Look = { source: null, q: "", page: 1 };

/** The server's message. */
const unsetWords = "公开镜像库访问url未设置，请设置";

const SHOWN = 6;

const searches: Readonly<Partial<Record<Source, string>>> = {
  server: "搜索服务器上的镜像",
  library: "仓库名称",
  own: "名称、说明、所有者",
};

/** The sources to choose from. */
interface Known {
  recent: boolean;
  library: boolean;
  server: boolean;
}

/** An unset library is offered too, with advice. */
const isOffered = (source: Source, known: Known) =>
  source === "recent" ? known.recent : source !== "server" || known.server;

/** The shown source: the chosen one while it exists, otherwise the first that has images. */
function sourceOf(chosen: Source | null, known: Known): Source {
  if (chosen && isOffered(chosen, known)) return chosen;
  if (known.recent) return "recent";
  if (known.library) return "library";
  return known.server ? "server" : "own";
}

export function ImageBlock({ draft, faults, server, images, onChange }: ImageBlockProps) {
  const library = Boolean(useQuery(publicSettingsQuery).data?.publicImageUrl);
  const [look, setLook] = useState<Look>(firstLook);
  const { q, page } = look;
  const known = { recent: images.length > 0, library, server: server !== undefined };
  const source = sourceOf(look.source, known);
  const search = source === "library" && !library ? undefined : searches[source];
  const phone = usePhone();
  const choose = (image: string) => onChange({ image });
  const list = {
    q,
    page,
    chosen: draft.image,
    onPage: (next: number) => setLook({ ...look, page: next }),
    onChoose: choose,
  };
  const tools = (
    <div className={styles.tools}>
      <Segmented<Source>
        aria-label="镜像来源"
        size={phone ? "medium" : "small"}
        value={source}
        options={sources.filter(({ value }) => isOffered(value, known))}
        onChange={(next) => setLook({ ...firstLook, source: next })}
      />
      {search && (
        <SearchInput
          key={source}
          placeholder={search}
          value={q}
          width={phone ? "100%" : 208}
          onSearch={(words) => setLook({ source, q: words, page: 1 })}
        />
      )}
    </div>
  );
  return (
    // On a phone there is no room beside the title.
    <Block number={2} title="镜像" extra={!phone && tools}>
      {phone && tools}
      {source === "recent" && (
        <div className={styles.images} role="radiogroup" aria-label="最近使用的镜像">
          {images.slice(0, SHOWN).map(({ image, used, times }) => (
            <ImageChoice
              key={image}
              name={image}
              note={`${relativeTime(used)}用过${times > 1 ? ` · 共 ${times} 次` : ""}`}
              checked={draft.image === image}
              onChoose={() => choose(image)}
            />
          ))}
        </div>
      )}
      {source === "server" && server && <ServerImages {...list} server={server} />}
      {source === "library" && (library ? <LibraryImages {...list} /> : <LibraryUnset words={unsetWords} />)}
      {source === "own" && <OwnImages {...list} server={server} />}
      <Choice label="镜像名称" note="仓库:标签。服务器上没有时自动拉取，之后就不用再等" fault={faults.image}>
        <Input
          aria-label="镜像名称"
          value={draft.image}
          placeholder="例如 pytorch/pytorch:2.9.0-cuda12.8-cudnn9-runtime"
          autoComplete="off"
          spellCheck={false}
          allowClear
          onChange={(event) => choose(event.target.value)}
        />
      </Choice>
    </Block>
  );
}
