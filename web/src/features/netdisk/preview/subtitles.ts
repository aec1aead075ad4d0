// Subtitles that lie beside a film: `film.vtt`, `film.zh.vtt`, `film.srt`. Browsers read WebVTT only, so that SubRip is
// turned into it. Pure.
import type { Item } from "../api";

const stem = (name: string) => name.slice(0, name.lastIndexOf("."));

export interface Subtitle {
  item: Item;
  /** `zh` of `film.zh.vtt`; empty without. */
  language: string;
}

export function subtitlesOf(film: string, items: readonly Item[]): Subtitle[] {
  const begin = `${stem(film)}.`;
  return items
    .filter(({ isDir, name }) => !isDir && name.startsWith(begin) && /\.(vtt|srt)$/i.test(name))
    .map((item) => ({ item, language: stem(item.name).slice(begin.length) }));
}

/** SubRip has commas in its times and no head. */
export function toWebVtt(text: string): string {
  const plain = text.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n");
  if (plain.startsWith("WEBVTT")) return plain;
  return `WEBVTT\n\n${plain.replace(/(\d\d:\d\d:\d\d),(\d{3})/g, "$1.$2")}`;
}
