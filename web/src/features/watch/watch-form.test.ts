import { expect, it } from "vitest";
import { arePorts, type WatchForm, watchFormOf, watchOf } from "./watch-form";

const form: WatchForm = {
  enabled: true,
  action: "pause",
  names: " digger \n\nminer2\ndigger",
  strings: "",
  ports: "3333\n 8118 ",
  allowedUsers: "ann",
  allowedImages: "",
};

it("each line is an entry, each once, and comes back as it was", () => {
  const watch = watchOf(form);
  expect(watch).toEqual({
    enabled: true,
    action: "pause",
    names: ["digger", "miner2"],
    strings: [],
    ports: [3333, 8118],
    allowedUsers: ["ann"],
    allowedImages: [],
  });
  expect(watchOf(watchFormOf(watch))).toEqual(watch);
});

it.each([
  ["", true],
  ["1\n65535", true],
  ["0", false],
  ["65536", false],
  ["3333 4444", false],
  ["1e3", false],
])("ports %j: %j", (lines, fine) => expect(arePorts(lines)).toBe(fine));
