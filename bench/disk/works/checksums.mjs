import { curl, median, shell } from "../load.mjs";

export const title = "校验和，2 GiB";
export const data = ["download"];
export const goal = "≥ 0.95 × openssl dgst";
export const columns = ["md5（MiB/秒）", "sha1", "sha256", "sha512"];

const DIGESTS = ["md5", "sha1", "sha256", "sha512"];

export async function run({ root, servers, rounds }) {
  const [ours] = servers;
  const seen = { ours: DIGESTS.map(() => []), openssl: DIGESTS.map(() => []) };
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, name] of DIGESTS.entries()) {
      seen.ours[index].push((await curl(`${ours.list("/large.bin")}?checksum=${name}`, ours.headers)).total);
      seen.openssl[index].push((await shell(`openssl dgst -${name} ${root}/large.bin`)).seconds);
    }
  }
  const rates = (runs) => runs.map((times) => 2048 / median(times));
  return [
    [ours.name, ...rates(seen.ours)],
    ["openssl dgst", ...rates(seen.openssl)],
  ];
}
