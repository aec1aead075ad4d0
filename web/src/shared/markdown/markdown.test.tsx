import { screen, render as show } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { parseMarkdown } from "./bounded-parser";
import { makeBudget } from "./budget";
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

  it.each([
    ["quotes", "> ".repeat(2_000)],
    ["lists", "- ".repeat(2_000)],
    ["both", "> - 1. ".repeat(700)],
    ["lists over many lines", Array.from({ length: 200 }, (_, at) => `${"  ".repeat(at)}- a\n`).join("")],
  ])("%s in each other are cut, and no word is lost", (_what, start) => {
    const { container } = show(render(`${start}tief`));
    expect(container.querySelectorAll("blockquote, ul, ol").length).toBeLessThan(100);
    expect(container.textContent).toContain("tief");
  });

  // Without the limits of the parser each of these takes minutes.
  it.each([
    ["emphasis that is only closed", "a* ".repeat(200_000)],
    ["comments that are never closed", `a ${"<!--".repeat(200_000)}`],
    ["links that are never closed", "[a](".repeat(200_000)],
    ["a title of a reference that is never closed", `[a]: b "\n${"x\n".repeat(200_000)}`],
    ["quotes and lists", "> - ".repeat(200_000)],
    ["quotes in many lines", `${">".repeat(2_000)}a\n`.repeat(400)],
    ["blanks before what may be a table", `a|b\n${" ".repeat(500_000)}-x`],
  ])("%s hold the page for no time to speak of", (_what, text) => {
    const begin = performance.now();
    const { container } = show(render(text));
    expect(container.textContent).toContain(text.trim().slice(-3).trim());
    expect(performance.now() - begin).toBeLessThan(15_000);
  });

  it("what is not parsed in time stays plain", () => {
    let time = 0;
    const parsed = parseMarkdown("# a\n\n".repeat(100), () => (time += 100));
    expect(parsed?.plain).toBeGreaterThan(50);
    expect(parsed?.plain).toBeLessThan(300);
    expect(parseMarkdown("# a\n\n".repeat(100))?.plain).toBe(500);
  });

  it("more elements than anybody reads are left out, and that is said", () => {
    const { container } = show(render("*a* ".repeat(100), {}, makeBudget(50)));
    expect(container.querySelectorAll("em").length).toBeLessThan(50);
    expect(container.textContent).toContain("内容太多");
  });
});

describe("long paragraphs", () => {
  const picture = `data:image/png;base64,${"A".repeat(50_000)}`;

  it("have their pictures, and the words around them", () => {
    const seen: string[] = [];
    const image = (address: string, words: string) => {
      seen.push(words, address);
      return <i>{words}</i>;
    };
    const { container } = show(render(`前 ![曲线](${picture}) ![b](${picture}) 后`, { image }));
    expect(seen).toEqual(["曲线", picture, "b", picture]);
    expect(container.textContent).toBe("前 曲线 b 后");
  });

  it("may go on after a reference", () => {
    expect(html('[官网][h]\n\n[h]: <https://b.org/> "题"\n**粗**')).toBe(
      '<p><a href="https://b.org/" target="_blank" rel="noopener noreferrer nofollow">官网</a></p><p><strong>粗</strong></p>',
    );
  });
});

describe("HTML of strangers", () => {
  it.each([
    ["<a".repeat(100_000), ""],
    [`${'<b id="1">'.repeat(1_000)}x`, "…"],
    [`${Array.from({ length: 500 }, (_, at) => `<i class="c${at}">`).join("")}${"<p>x".repeat(500)}`, "…"],
    [`${"<div>".repeat(1_000)}x`, "…"],
  ])("%.20s… is never closed: it is cut, and takes no time to speak of", (text, words) => {
    const { container } = show(safeHtml(text));
    expect(container.querySelectorAll("*").length).toBeLessThan(2_000);
    expect(container.textContent).toContain(words);
  });

  it("formatting is what it is, also where blocks stand in it", () => {
    const { container } = show(
      safeHtml("<b>a<p>b<i>c</i></p></b> <code class=x>d</code> <font color=red>e</font>"),
    );
    expect(container.querySelectorAll("b")).toHaveLength(1);
    expect(container.querySelector("i")?.textContent).toBe("c");
    expect(container.querySelector("code")?.textContent).toBe("d");
    expect(container.textContent).toContain("e");
  });

  it("says where it was cut", () => {
    const text = "<i>x</i>".repeat(100);
    expect(show(safeHtml(text, { most: 100 })).container.textContent).toMatch(/^x{50}内容太多/);
    expect(show(safeHtml(text)).container.textContent).toBe("x".repeat(100));
  });

  it("has no link in a link, and none into our own pages", () => {
    const { container } = show(
      safeHtml('<a href="https://a.org/">a <a href="https://b.org/">b</a></a> <a href="/api/auth">c</a>'),
    );
    expect(container.querySelectorAll("a a, a[href^='/']")).toHaveLength(0);
    expect(container.textContent).toContain("c");
  });
});
