import { readdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { curl, median, shell, timed } from "../load.mjs";

export const title = "缩略图，1 200 万像素的 JPEG";
export const data = ["thumbnails"];
export const goal = "每 CPU 秒 ≥ 1.5 × vipsthumbnail";
export const columns = ["张/秒", "张/CPU 秒"];

export async function run({ work, root, servers, rounds }) {
  const photos = readdirSync(join(root, "photos"));
  const asked = servers.filter(({ name }) => ["yunlab", "File Browser"].includes(name));
  const seen = new Map([...asked, "vips"].map((one) => [one, []]));
  const address = (server, name) =>
    `${server.origin}${server.name === "yunlab" ? "/disk/api/preview/thumb/share" : "/api/preview/thumb"}/photos/${name}?inline=true`;
  for (let round = 0; round < rounds; round += 1) {
    for (const server of asked) {
      // Another time of change makes each picture a new one to the caches.
      for (const name of photos) utimesSync(join(root, "photos", name), 1.6e9, 1.6e9 + round * 60 + 1);
      const waiting = [...photos];
      const client = async () => {
        while (waiting.length) await curl(address(server, waiting.pop()), server.headers);
      };
      seen.get(server).push(await timed(server, () => Promise.all([client(), client()])));
    }
    seen.get("vips").push(await shell(`ls ${root}/photos/*.jpg | xargs -P 2 -n 8 vipsthumbnail --size 256x256 --smartcrop centre -o ${work}/%s.jpg`));
  }
  const row = (name, runs) => [name, photos.length / median(runs.map((run) => run.seconds)), photos.length / median(runs.map((run) => run.cpu))];
  return [...asked.map((server) => row(server.name, seen.get(server))), row("vipsthumbnail", seen.get("vips"))];
}
