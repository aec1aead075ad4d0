import { readFileSync } from "node:fs";
import { join } from "node:path";
import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { renderPage } from "@/shared/list/render-page";
import { serve } from "@/test-server";
import ApiDocsPage from "./ApiDocsPage";
import { matching, subjectsOf } from "./calls";
import { curlOf } from "./curl";
import type { OpenApi } from "./openapi";
import { exampleOf, schemaText } from "./schema-text";

const root = join(import.meta.dirname, "../../../../openapi");
const text = (name: string) => readFileSync(join(root, `${name}.json`), "utf8");
const portal: OpenApi = JSON.parse(text("portal"));
const disk: OpenApi = JSON.parse(text("disk"));
const subjects = [...subjectsOf("portal", portal), ...subjectsOf("disk", disk)];

const answer = (name: string) => () =>
  new Response(text(name), { headers: { "content-type": "application/json" } });

describe("the API documents", () => {
  it("every call and its subject have a Chinese title, and it says who may make it", () => {
    const calls = subjects.flatMap((subject) => subject.calls);
    expect(calls.length).toBe(
      [portal, disk].flatMap(({ paths }) => Object.values(paths).flatMap(Object.keys)).length,
    );
    for (const { title } of subjects) expect(title).toMatch(/[一-鿿]/);
    for (const call of calls) {
      expect(call["x-access"].who, call.operationId).toBeTruthy();
      expect(call.title, call.operationId).toMatch(/[一-鿿]/);
    }
    const ids = calls.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(calls.length);
  });

  it("every body can be written out, without an end that never comes", () => {
    for (const call of subjects.flatMap((subject) => subject.calls)) {
      const bodies = [call.requestBody, ...Object.values(call.responses)];
      for (const { schema } of bodies.flatMap((body) => Object.values(body?.content ?? {}))) {
        if (schema) expect(schemaText(schema, call.schemas), call.operationId).not.toBe("");
      }
      expect(curlOf(call) ?? "curl", call.operationId).toMatch(/^curl/);
    }
  });

  it("a shape shows optional fields, remarks, references and variants", () => {
    const schemas = {
      Kind: { type: "string", enum: ["a", "b"], description: "Which." },
      Tree: {
        type: "object",
        required: ["kind"],
        properties: {
          kind: { $ref: "#/components/schemas/Kind" },
          leaves: { type: "array", items: { $ref: "#/components/schemas/Tree" } },
          note: { type: ["string", "null"] },
        },
      },
    };
    const tree = { $ref: "#/components/schemas/Tree" };
    expect(schemaText(tree, schemas)).toBe(
      '{\n  kind: "a" | "b"  // Which.\n  leaves?: Tree[]\n  note?: string | null\n}',
    );
    expect(exampleOf(tree, schemas)).toEqual({ kind: "a" });
  });

  it("curl carries the token, the body and what must be asked for", () => {
    const find = (id: string) => {
      const call = subjects.flatMap(({ calls }) => calls).find(({ operationId }) => operationId === id);
      if (!call) throw new Error(id);
      return curlOf(call);
    };
    expect(find("worksheets_create")).toBe(
      `curl -X POST \\\n  -H "Authorization: Bearer $YUNLAB_TOKEN" \\\n  -H 'Content-Type: application/json' \\\n` +
        `  -d '{"content":"…","title":"…","type":"account"}' \\\n  "$YUNLAB_URL/api/worksheets"`,
    );
    expect(find("health_get")).toBe('curl \\\n  "$YUNLAB_URL/health"');
    expect(find("terminal_socket")).toBeNull();
  });

  it("words find calls by verb, address, meaning and subject", () => {
    const found = (query: string) =>
      matching(subjects, query).flatMap(({ calls }) => calls.map(({ operationId }) => operationId));
    expect(found("post /api/worksheets")).toContain("worksheets_create");
    expect(found("回收站 delete")).toEqual(expect.arrayContaining(["emptyTrash", "purgeFromTrash"]));
    expect(found("nothing like this")).toEqual([]);
  });
});

describe("the page of the API documents", () => {
  const show = () => {
    serve({ "GET /api/openapi/portal.json": answer("portal"), "GET /api/openapi/disk.json": answer("disk") });
    return renderPage(ApiDocsPage, { at: "/api/docs" });
  };

  it("a call opens to who may make it, its fields and an example; the search narrows and stands in the address", async () => {
    const { user, search } = show();
    await user.type(
      await screen.findByRole("searchbox", { name: "搜索接口" }),
      "access_tokens_create{Enter}",
    );
    expect(search().get("q")).toBe("access_tokens_create");
    const main = within(await screen.findByRole("main"));
    await waitFor(() => expect(main.getAllByRole("listitem")).toHaveLength(1));
    await user.click(main.getByText("/api/profile/access-tokens"));
    expect(await main.findByText("登录的人；访问令牌不能调用")).toBeDefined();
    expect(main.getAllByText(/expires: string \(date-time\)/)).toHaveLength(2);
    expect(main.getByRole("button", { name: "复制 curl 命令" })).toBeDefined();
  });

  it("what finds nothing says so, and what can not be fetched can be asked for again", async () => {
    serve({
      "GET /api/openapi/portal.json": () => new Response("", { status: 502 }),
      "GET /api/openapi/disk.json": answer("disk"),
    });
    const { user } = renderPage(ApiDocsPage, { at: "/api/docs?q=zzz" });
    expect(await screen.findByText("接口文档没有取到")).toBeDefined();
    serve({ "GET /api/openapi/portal.json": answer("portal"), "GET /api/openapi/disk.json": answer("disk") });
    await user.click(screen.getByRole("button", { name: "重试" }));
    expect(await screen.findByText("没有与“zzz”有关的接口")).toBeDefined();
  });
});
