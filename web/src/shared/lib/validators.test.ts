import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import {
  isEmail,
  isPassword,
  isPhone,
  isPlainWord,
  isUsername,
  isUsernameWithUnderscore,
} from "./validators";

/** The cases that the server's own test reads too. */
const table = readFileSync("../crates/kernel/src/rules.tsv", "utf8");

const checks: Record<string, (value: string) => boolean> = {
  username: isUsername,
  username_underscore: isUsernameWithUnderscore,
  password: isPassword,
  short_word: isPlainWord,
  email: isEmail,
  phone: isPhone,
};

test.each(
  table
    .trimEnd()
    .split("\n")
    .slice(1)
    .map((line) => line.split("\t")),
)("S253–S258 %s %j → %s, as on the server", (rule = "", text = "", allowed = "") => {
  expect(checks[rule]?.(text)).toBe(allowed === "yes");
});
