import { screen, render as show } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { type Output, parseNotebook } from "./notebook";
import { OutputView } from "./OutputView";

const cell = (outputs: unknown[], more: object = {}) => ({
  ...{ cell_type: "code", execution_count: 1, source: ["a = 1\n", "a"], outputs },
  ...more,
});
const outputsOf = (...outputs: unknown[]) =>
  parseNotebook(JSON.stringify({ cells: [cell(outputs)] }))?.cells[0]?.outputs ?? [];
const result = (data: object) => ({ output_type: "display_data", data });

describe("a notebook", () => {
  it("has cells with sources, numbers and outputs", () => {
    const text = JSON.stringify({
      metadata: { kernelspec: { language: "R" } },
      cells: [
        { cell_type: "markdown", source: "# 标题" },
        cell([
          { output_type: "stream", name: "stdout", text: ["1\n"] },
          { output_type: "stream", name: "stdout", text: "2\n" },
          { output_type: "stream", name: "stderr", text: "careful" },
        ]),
      ],
    });
    const notebook = parseNotebook(text);
    expect(notebook).toMatchObject({ language: "R", total: 2 });
    expect(notebook?.cells[0]).toMatchObject({ kind: "markdown", source: "# 标题" });
    expect(notebook?.cells[1]).toMatchObject({
      source: "a = 1\na",
      count: 1,
      outputs: [
        { kind: "text", text: "1\n2\n", error: false },
        { kind: "text", text: "careful", error: true },
      ],
    });
  });

  it("shows of one result what says most and runs nothing", () => {
    expect(outputsOf(result({ "image/png": "iVBORw0KGgo=\n", "text/plain": "<Figure>" }))).toEqual([
      { kind: "image", address: "data:image/png;base64,iVBORw0KGgo=" },
    ]);
    expect(outputsOf(result({ "text/html": "<b>x</b>", "text/plain": "x" }))[0]?.kind).toBe("html");
    expect(outputsOf(result({ "text/html": "<script>1</script>", "text/plain": "Figure()" }))).toMatchObject([
      { kind: "scripted", text: "Figure()" },
    ]);
    expect(outputsOf(result({ "application/javascript": "alert(1)" }))).toEqual([]);
  });

  it("takes nothing for a picture that is none", () => {
    expect(outputsOf(result({ "image/png": '" onerror="alert(1)', "text/plain": "x" }))).toMatchObject([
      { kind: "text" },
    ]);
  });

  it("reads the format of old", () => {
    const text = JSON.stringify({
      nbformat: 3,
      worksheets: [
        {
          cells: [
            { cell_type: "heading", level: 2, source: "旧的" },
            {
              cell_type: "code",
              prompt_number: 4,
              input: "1",
              outputs: [{ output_type: "pyout", text: "1" }],
            },
          ],
        },
      ],
    });
    expect(parseNotebook(text)?.cells).toMatchObject([
      { source: "## 旧的" },
      { source: "1", count: 4, outputs: [{ kind: "text", text: "1" }] },
    ]);
  });

  it.each([
    "",
    "[]",
    "null",
    "{}",
    '{"cells": 3}',
    "<html>",
    '{"cells": [null, 3, "x"]}',
    "[".repeat(100_000),
  ])("%.20s is none, or has empty cells", (text) => {
    const notebook = parseNotebook(text);
    expect(notebook === null || notebook.cells.every(({ outputs }) => outputs.length === 0)).toBe(true);
  });
});

describe("an output", () => {
  const draw = (output: Output) => show(<OutputView output={output} />).container;

  it("a traceback has its colours", () => {
    draw({ kind: "text", error: true, text: "\u001b[0;31mZeroDivisionError\u001b[0m: division by zero" });
    expect(screen.getByText("ZeroDivisionError").style.color).toBe("var(--ansi-red)");
  });

  it("HTML is taken over without anything that runs", () => {
    const html =
      '<table><tbody><tr><td colspan="2" onclick="x()">0.53</td></tr></tbody></table><img src="x" onerror="x()"><object data="/"></object><svg onload="x()"></svg><a href="javascript:x()">a</a><a href="/api/auth">b</a><style>body{display:none}</style>';
    const container = draw({ kind: "html", html });
    expect(screen.getByRole("cell", { name: "0.53" })).toBeTruthy();
    expect(container.querySelectorAll("img, object, svg, a, style, script")).toHaveLength(0);
    expect(container.innerHTML).not.toMatch(/onerror|onclick|onload|javascript/);
  });

  it("what a script would draw is said to be missing", () => {
    draw({ kind: "scripted", html: "<div id=p></div><script>draw()</script>", text: "Figure()" });
    expect(screen.getByText(/这个输出里有脚本，网页里不运行/)).toBeTruthy();
    expect(screen.getByText("Figure()")).toBeTruthy();
  });
});
