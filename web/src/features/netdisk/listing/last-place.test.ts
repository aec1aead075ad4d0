import { describe, expect, it } from "vitest";
import { arrive, keepFirst, placeOnArrival } from "./last-place";

describe("where somebody was in a folder", () => {
  it("is what was opened in it, and what was in sight", () => {
    arrive("/home/", undefined);
    keepFirst("/home/", 200);
    arrive("/home/b.txt", undefined);
    expect(placeOnArrival("/home/", false)).toEqual({ name: "b.txt", first: 200 });
  });

  it("is what was looked at last, when somebody stepped on from file to file", () => {
    arrive("/home/", undefined);
    arrive("/home/b.png", undefined);
    arrive("/home/c.png", undefined);
    expect(placeOnArrival("/home/", false)?.name).toBe("c.png");
  });

  it("is the way down in every folder above", () => {
    arrive("/home/a/b/c/", undefined);
    expect(placeOnArrival("/home/a/", false)?.name).toBe("b");
    expect(placeOnArrival("/home/", false)?.name).toBe("a");
    expect(placeOnArrival("/", false)?.name).toBe("home");
  });

  it("is taken up again by a step back, but not when the folder is opened anew, which forgets it", () => {
    arrive("/home/", undefined);
    keepFirst("/home/", 80);
    arrive("/share/", undefined);
    expect(placeOnArrival("/home/", false)).toBeUndefined();
    expect(placeOnArrival("/home/", true)).toEqual({ name: null, first: 80 });
    arrive("/home/", undefined);
    arrive("/share/", undefined);
    expect(placeOnArrival("/home/", true)).toBeUndefined();
  });
});
