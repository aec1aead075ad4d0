// Names of card models as people say them: RTX 4090 24G instead of NVIDIA GeForce RTX 4090; pure.

const GB = 1024 ** 3;

/** Sizes that cards are sold with; error correction takes up to 7 % of what the driver reports. */
const nominal = [4, 6, 8, 10, 11, 12, 16, 20, 24, 32, 40, 48, 64, 80, 94, 96, 128, 141, 180, 192, 288];

function nominalSize(bytes: number): number | undefined {
  const size = bytes / GB;
  const near = nominal.find((one) => size <= one * 1.01 && size >= one * 0.92);
  return near ?? (size >= 1 ? Math.round(size) : undefined);
}

const makers = /^(NVIDIA|AMD|Intel|Tesla|Quadro|GeForce|Radeon|Instinct|Huawei|\(R\))\s+/i;
/** The connection and the kind of memory, which people leave out. */
const builds = /[\s-]+(SXM\d?|PCI-?E|NVL|HBM\d\w?|OAM)(?=[\s-]|$)/gi;
const ownSize = /[\s-]+(\d+)\s?GB?$/i;

interface Model {
  model: string;
  /** Bytes; 0 or absent while unknown. */
  memoryTotal?: number;
}

/** A100 80G, RTX 4090 24G, Ascend 910B; words that are not known stay. */
export function shortModel({ model, memoryTotal = 0 }: Model): string {
  let name = model.trim();
  while (makers.test(name)) name = name.replace(makers, "");
  name = name.replace(builds, "");
  const named = ownSize.exec(name)?.[1];
  name = name.replace(ownSize, "");
  const size = named ?? nominalSize(memoryTotal);
  return size === undefined ? name : `${name} ${size}G`;
}
