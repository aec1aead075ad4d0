// For tests: one page as the app shows it, with a URL of its own, an empty cache and a signed-in user.
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { App, ConfigProvider } from "antd";
import zhCN from "antd/locale/zh_CN";
import type { ComponentType } from "react";
import { createMemoryRouter, RouterProvider } from "react-router";
import { setSession } from "@/shared/stores/session";

interface Options {
  /** The address, with the path under which the page is routed. */
  at: string;
  /** 1 is an administrator. */
  role?: number;
  /** The signed-in person. */
  me?: number;
}

export function renderPage(Page: ComponentType, { at, role = 1, me = 1 }: Options) {
  setSession({ id: me, role, username: "admin", name: "管理员" });
  const [path = "/"] = at.split("?");
  const router = createMemoryRouter(
    [
      { path, element: <Page /> },
      { path: "*", element: <h1>另一页</h1> },
    ],
    { initialEntries: [at] },
  );
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  render(
    <QueryClientProvider client={client}>
      <ConfigProvider
        locale={zhCN}
        theme={{ token: { motion: false }, zeroRuntime: true }}
        button={{ autoInsertSpace: false }}
      >
        <App>
          <RouterProvider router={router} />
        </App>
      </ConfigProvider>
    </QueryClientProvider>,
  );
  const search = () => new URLSearchParams(router.state.location.search);
  return { user: userEvent.setup({ delay: null }), router, search };
}
