// The name of an instance that its owner gives none: what is in it and which cards it has; pure.
import type { ServerView } from "@/shared/compute/api";
import { freeOf } from "@/shared/compute/gpu-look";
import { modelsText } from "@/shared/compute/text";
import type { Draft } from "./draft";

/** The server's limit. */
const longest = 100;

/** pytorch 2.9 of registry.lab:5000/lab/pytorch:2.9-cu128-py312. */
export function imageTitle(image: string): string {
  const [bare = ""] = image.trim().split("@");
  const [repository = "", tag = ""] = bare.slice(bare.lastIndexOf("/") + 1).split(":");
  const [version = ""] = tag.split("-");
  return version === "" || version === "latest" ? repository : `${repository} ${version}`;
}

/** pytorch 2.9 · RTX 4090 24G ×2 */
export function suggestedName({ image, cards, count }: Draft, server: ServerView): string {
  const chosen = cards ? server.gpus.filter(({ id }) => cards.includes(id)) : freeOf(server).slice(0, count);
  const models = chosen.length > 0 ? modelsText(chosen).replace(/ ×1$/, "") : "不用卡";
  return `${imageTitle(image)} · ${models}`.slice(0, longest);
}
