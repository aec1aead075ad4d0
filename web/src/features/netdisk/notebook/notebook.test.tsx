import { screen, render as show } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { attachmentName, mostOutputs, mostText, type Output, parseNotebook } from "./notebook";
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

  it("keeps of a plot what is left without its scripts", () => {
    const html = `<p>图</p><SCRIPT>${"x".repeat(4_000_000)}</Script ><p>说明</p><script>never closed`;
    expect(outputsOf(result({ "text/html": html, "text/plain": "Figure()" }))).toEqual([
      { kind: "scripted", html: "<p>图</p><p>说明</p>", text: "Figure()" },
    ]);
    expect(outputsOf(result({ "text/html": '<iframe src="x"></iframe>' }))).toMatchObject([
      { kind: "scripted" },
    ]);
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

describe("a hostile notebook", () => {
  const notebookOf = (...cells: unknown[]) => parseNotebook(JSON.stringify({ cells }));

  it("ends where a page could show no more", () => {
    const long = cell([], { source: "x".repeat(200_000) });
    const notebook = notebookOf(...Array.from({ length: 100 }, () => long));
    expect(notebook?.total).toBe(100);
    expect(notebook?.cells).toHaveLength(mostText / 200_000);
  });

  it("has outputs and sources of bounded length", () => {
    const outputs = Array.from({ length: mostOutputs + 5 }, () => result({ "image/png": "iVBORw0KGgo=" }));
    expect(notebookOf(cell(outputs))?.cells[0]).toMatchObject({ more: 5 });
    expect(notebookOf(cell([], { source: "x".repeat(1_000_000) }))?.cells[0]?.source.length).toBeLessThan(
      400_000,
    );
  });

  it("has headings of six levels", () => {
    for (const level of [2 ** 40, -1, "x", null])
      expect(notebookOf({ cell_type: "heading", level, source: "h" })?.cells[0]?.source).toMatch(
        /^#{1,6} h$/,
      );
  });

  it("is not indented without an end", () => {
    const depth = 3_000;
    const json = `${"[".repeat(depth)}${"]".repeat(depth)}`;
    const text = `{"cells": [{"cell_type": "code", "outputs": [{"output_type": "display_data", "data": {"application/json": ${json}}}]}]}`;
    const [output] = parseNotebook(text)?.cells[0]?.outputs ?? [];
    expect(output).toMatchObject({ kind: "text" });
    expect(output?.kind === "text" && output.text.length).toBeLessThan(1_000);
  });

  it("a name of an attachment need not be encoded", () => {
    expect([attachmentName("attachment:a%20b.png"), attachmentName("attachment:100%.png")]).toEqual([
      "a b.png",
      "100%.png",
    ]);
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
    expect(screen.getByText(/这个输出里有脚本或内嵌网页，这里不运行/)).toBeTruthy();
    expect(screen.getByText("Figure()")).toBeTruthy();
  });

  it("of many colours or characters is cut, and says so", () => {
    const colours = draw({ kind: "text", error: false, text: "\u001b[31mr\u001b[0mx".repeat(15_000) });
    expect(colours.querySelectorAll("span").length).toBeLessThan(25_000);
    expect(colours.textContent).toContain("还有 1 行，请下载后查看");
    const words = draw({ kind: "text", error: false, text: `${"长".repeat(10_000)}\n`.repeat(100) });
    expect(words.textContent?.length).toBeLessThan(400_000);
    expect(words.textContent).toContain("还有 70 行");
  });

  it("of many columns is cut, and says so", () => {
    const row = `<tr>${'<td colspan="1000">x</td>'.repeat(100)}</tr>`;
    const container = draw({ kind: "html", html: `<table><tbody>${row.repeat(50)}</tbody></table>` });
    expect(container.querySelectorAll("td").length).toBeLessThan(30);
    expect(container.textContent).toContain("内容太多");
  });
});
