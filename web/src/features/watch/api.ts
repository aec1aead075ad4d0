// The decision on a finding.
import { portal, unwrap } from "@/shared/api/client";
import type { components } from "@/shared/api/portal";
import { findingsKey } from "@/shared/findings/api";
import { useAffecting } from "@/shared/list/use-affecting";

type FindingDecision = components["schemas"]["FindingDecision"];

export const useHandleFinding = () =>
  useAffecting([findingsKey, "logs"], ({ id, body }: { id: string; body: FindingDecision }) =>
    unwrap(portal.PUT("/api/findings/{id}", { params: { path: { id } }, body })),
  );
