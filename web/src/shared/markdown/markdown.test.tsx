import { screen, render as show } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { render } from "./render";
import { safeHtml } from "./safe-html";

const html = (text: string) => {
  const { container, unmount } = show(render(text));
  const result = container.innerHTML;
  unmount();
  return result;
};

describe("Markdown", () => {
  it.each([
    ["# 标题", "<h3> 标题</h3>"],
    [
      "**粗** *斜* ~~删~~ `a < b`",
      "<p><strong>粗</strong> <em>斜</em> <del>删</del> <code>a &lt; b</code></p>",
    ],
    ["- 一\n- 二", "<ul><li><p>一</p></li><li><p>二</p></li></ul>"],
    ["3. 三", '<ol start="3"><li><p>三</p></li></ol>'],
    ["> 引用", "<blockquote><p>引用</p></blockquote>"],
    ["```py\nprint(1)\n```", '<pre tabindex="0"><code>print(1)</code></pre>'],
    ["a\\*b &amp; c", "<p>a*b &amp; c</p>"],
  ])("%s", (text, expected) => expect(html(text)).toBe(expected));

  it("shows tables", () => {
    show(render("| 名称 | 数量 |\n| - | - |\n| 训练 | 50000 |"));
    expect(screen.getByRole("columnheader", { name: "数量" })).toBeDefined();
    expect(screen.getByRole("cell", { name: "50000" })).toBeDefined();
  });

  it("takes nothing for HTML and no link for a script", () => {
    const text =
      '<img src=x onerror="alert(1)">\n\n<b>x</b> [a](javascript:alert(1)) ![p](https://e.org/a.png) [r][l]\n\n[l]: data:text/html,x';
    const { container } = show(render(text));
    expect(container.querySelectorAll("img, b, script")).toHaveLength(0);
    expect([...container.querySelectorAll("a")].map(({ href }) => href)).toEqual(["https://e.org/a.png"]);
    expect(container.textContent).toContain('<img src=x onerror="alert(1)">');
  });

  it("links bare addresses and references", () => {
    const { container } = show(render("见 https://a.org/x 与 [官网][home]\n\n[home]: https://b.org/"));
    expect([...container.querySelectorAll("a")].map(({ href }) => href)).toEqual([
      "https://a.org/x",
      "https://b.org/",
    ]);
  });
});

describe("hostile texts", () => {
  it("HTML is taken over for what it shows, and nothing of it runs", () => {
    const html = (text: string) => safeHtml(text);
    const { container } = show(
      render(
        '<p align="center">mitte<img src="x" onerror="x()"></p>\n\na <br> b <b>c</b> <script>x()</script>',
        { html },
      ),
    );
    expect(container.querySelectorAll("script, img")).toHaveLength(0);
    expect(container.textContent).toContain("mitte");
    expect(container.innerHTML).not.toContain("onerror");
  });
});
