// The subtitle tracks of a film. Fetched with a signature and handed to the player from memory.
import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { useSearchParams } from "react-router";
import { useObjectUrl } from "@/shared/ui/use-object-url";
import { type Resource, resourceQuery } from "../api";
import { useDisk } from "../disk-context";
import { parentOf } from "../disk-paths";
import { sortingIn } from "../listing/sorting";
import { rawQuery } from "./raw";
import { type Subtitle, subtitlesOf, toWebVtt } from "./subtitles";

export function SubtitleTracks({ file }: { file: Resource }) {
  const { host } = useDisk();
  const [search] = useSearchParams();
  const { data } = useInfiniteQuery({
    ...resourceQuery(host, parentOf(file.path), sortingIn(search)),
    staleTime: 60_000,
  });
  const items = data?.pages.flatMap((page) => page.items ?? []) ?? [];
  return subtitlesOf(file.name, items).map((subtitle, index) => (
    <SubtitleTrack key={subtitle.item.path} subtitle={subtitle} first={index === 0} />
  ));
}

function SubtitleTrack({ subtitle: { item, language }, first }: { subtitle: Subtitle; first: boolean }) {
  const { host } = useDisk();
  const client = useQueryClient();
  const { data } = useQuery({
    queryKey: ["netdisk-subtitle", host, item.path, item.modified],
    queryFn: async () => {
      const content = await client.fetchQuery(rawQuery(host, item));
      return new Blob([toWebVtt(await content.text())], { type: "text/vtt" });
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
  const url = useObjectUrl(data);
  if (!url) return null;
  return (
    <track
      kind="subtitles"
      src={url}
      label={language || "字幕"}
      {...(language && { srcLang: language })}
      default={first}
    />
  );
}
