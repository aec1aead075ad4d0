import { expect, it } from "vitest";
import { shortModel } from "./gpu-model";
import { modelsText } from "./text";

const MB = 1024 ** 2;

it.each([
  ["NVIDIA GeForce RTX 4090", 24_564, "RTX 4090 24G"],
  ["NVIDIA GeForce RTX 3090", 24_576, "RTX 3090 24G"],
  ["NVIDIA A100-SXM4-80GB", 81_920, "A100 80G"],
  ["NVIDIA A100 80GB PCIe", 81_920, "A100 80G"],
  ["NVIDIA H100 80GB HBM3", 81_559, "H100 80G"],
  ["NVIDIA H200", 143_771, "H200 141G"],
  ["Tesla V100-PCIE-16GB", 16_384, "V100 16G"],
  ["NVIDIA RTX A6000", 49_140, "RTX A6000 48G"],
  ["NVIDIA L20", 46_068, "L20 48G"],
  ["A800 80G", 0, "A800 80G"],
  ["Ascend 910B", 0, "Ascend 910B"],
])("%s with %d MB is called %s", (model, mb, short) => {
  expect(shortModel({ model, memoryTotal: mb * MB })).toBe(short);
});

it("several cards of one model are counted by its short name", () => {
  const card = { model: "NVIDIA GeForce RTX 4090", memoryTotal: 24_564 * MB };
  expect(modelsText([card, card, { model: "NVIDIA L20", memoryTotal: 46_068 * MB }])).toBe(
    "RTX 4090 24G ×2、L20 48G ×1",
  );
});
