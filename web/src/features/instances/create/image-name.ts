// Names and places of images; pure.
import type { ServerView } from "@/shared/compute/api";
import type { Image } from "@/shared/images/api";

/** `host:5000/team/pytorch` of `host:5000/team/pytorch:2.9`; without a tag the whole. */
function repositoryOf(image: string): string {
  const colon = image.lastIndexOf(":");
  return colon > image.lastIndexOf("/") ? image.slice(0, colon) : image;
}

/** They differ by their tags at most. */
export const isOf = (image: string, other: string) => repositoryOf(image) === repositoryOf(other);

/** How it gets to the server; `closed` is the reason why it cannot. */
export function placeOf(
  { where }: Pick<Image, "where">,
  server: Pick<ServerView, "id" | "name"> | undefined,
): { words: string; closed?: string } {
  if (where.some((place) => place.server?.id === server?.id)) return { words: "服务器上已有" };
  if (where.some(({ kind }) => kind === "registry")) return { words: "需拉取" };
  const names = where.flatMap((place) => place.server?.name ?? []);
  return {
    words: "",
    closed: names.length > 0 ? `只在 ${names.join("、")} 上，推送到镜像仓库后别处才能用` : "哪里都没有了",
  };
}
