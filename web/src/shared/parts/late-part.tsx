// A component that is loaded when it is first shown. Unlike with `lazy` alone, its failure leaves the rest of the page.
import { App } from "antd";
import { type ComponentType, lazy, useEffect } from "react";
import { MissingPart } from "./MissingPart";
import { isMissingPart, loadPart } from "./missing-part";

/** For dialogs and drawers, which have no place of their own in the page. */
function MissingAside() {
  const { modal } = App.useApp();
  useEffect(() => {
    const said = modal.info({
      icon: null,
      title: "无法打开",
      content: <MissingPart />,
      footer: null,
      closable: true,
      mask: { closable: true },
    });
    return () => said.destroy();
  }, [modal]);
  return null;
}

/** `aside`: it opens over the page, as dialogs do. */
export function latePart<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  place: "inside" | "aside" = "inside",
) {
  return lazy(async (): Promise<{ default: ComponentType<Props> }> => {
    try {
      return { default: await loadPart(load) };
    } catch (error) {
      if (!isMissingPart(error)) throw error;
      return { default: place === "aside" ? MissingAside : MissingPart };
    }
  });
}
