// Titles of single pages whose route is shared by many, such as a server's page: its name instead of the route's title.
import { useEffect } from "react";
import { useLocation } from "react-router";
import { create } from "zustand";

/** By the page's path. Kept after the page is left, as its tag still shows it. */
export const usePageTitles = create<Readonly<Record<string, string>>>()(() => ({}));

/** Sets the shown page's title, once it is known. */
export function usePageTitle(title: string | undefined): void {
  const { pathname } = useLocation();
  useEffect(() => {
    if (title) usePageTitles.setState({ [pathname]: title });
  }, [pathname, title]);
}
