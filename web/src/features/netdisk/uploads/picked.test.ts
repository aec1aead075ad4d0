import { expect, test } from "vitest";
import { pickedFromDrop } from "./picked";

function dropped(...items: Partial<DataTransferItem>[]) {
  return {
    items: Object.assign(items, {
      add: () => null,
      clear() {},
      remove() {},
    }) as unknown as DataTransferItemList,
  };
}

test("a dropped file without an entry, as a picture out of another page, is taken too", async () => {
  const file = new File(["x"], "图.png");
  const words: Partial<DataTransferItem> = {
    kind: "string",
    getAsFile: () => null,
    webkitGetAsEntry: () => null,
  };
  const picture: Partial<DataTransferItem> = {
    kind: "file",
    getAsFile: () => file,
    webkitGetAsEntry: () => null,
  };
  expect(await pickedFromDrop(dropped(words, picture))).toEqual([{ names: ["图.png"], file }]);
});
