// Titles of single pages whose route is shared by many, such as one server's: its name instead of the route's title.
import { useEffect } from "react";
import { useLocation } from "react-router";
import { create } from "zustand";

/** By the page's path. Kept after the page was left, as its tag goes on showing it. */
export const usePageTitles = create<Readonly<Record<string, string>>>()(() => ({}));

/** Names the shown page, once its name is known. */
export function usePageTitle(title: string | undefined): void {
  const { pathname } = useLocation();
  useEffect(() => {
    if (title) usePageTitles.setState({ [pathname]: title });
  }, [pathname, title]);
}
