// The place of the command panel while it is open; its script is loaded at the first opening.
import { useQueryClient } from "@tanstack/react-query";
import { Suspense, useEffect } from "react";
import { latePart } from "@/shared/parts/late-part";
import type { Permit } from "../actions";
import { netdiskKey } from "../api";
import { useShell } from "./shell-store";

const ShellPanel = latePart(async () => (await import("./ShellPanel")).ShellPanel);

/** Refetches the files after a command has ended. */
function useFreshFiles() {
  const client = useQueryClient();
  useEffect(
    () =>
      useShell.subscribe(({ ended }, before) => {
        if (ended !== before.ended) void client.invalidateQueries({ queryKey: netdiskKey });
      }),
    [client],
  );
}

export function ShellPlace({ folder, permit }: { folder: string; permit: Permit }) {
  const open = useShell((shell) => shell.open);
  useFreshFiles();
  if (!open || permit.hidden || permit.reason !== undefined) return null;
  return (
    <Suspense fallback={null}>
      <ShellPanel folder={folder} />
    </Suspense>
  );
}
