// Which pictures the storage host can make smaller.
import type { Item } from "../api";

/** Types that the server can reduce; others are shown unreduced. A reduced GIF would not move. */
const reducible = /^\.(jpe?g|png|webp|bmp|tiff?)$/i;
const thumbable = /^\.(jpe?g|png|gif|webp|bmp|tiff?)$/i;

type File = Pick<Item, "type" | "extension">;

export const isReducible = ({ type, extension }: File) => type === "image" && reducible.test(extension);
export const isThumbable = ({ type, extension }: File) => type === "image" && thumbable.test(extension);
