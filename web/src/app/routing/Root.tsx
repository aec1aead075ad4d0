// Above every page: the document's title and the scroll position.
import { useEffect } from "react";
import { Outlet, ScrollRestoration } from "react-router";
import { useProductName } from "@/shared/api/public-settings";
import { endOpening } from "../layout/opening";
import { useCurrentPage } from "./current-page";

export function Root() {
  const page = useCurrentPage();
  const productName = useProductName();
  const title = page?.title;

  useEffect(endOpening, []);
  useEffect(() => {
    document.title = title ? `${title} - ${productName}` : productName;
  }, [title, productName]);

  return (
    <>
      <Outlet />
      <ScrollRestoration />
    </>
  );
}
