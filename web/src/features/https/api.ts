// The portal's certificate, and the lab's CA.
import { queryOptions } from "@tanstack/react-query";
import { portal, unwrap } from "@/shared/api/client";
import type { components } from "@/shared/api/portal";
import { useAffecting } from "@/shared/list/use-affecting";

export type HttpsOverview = components["schemas"]["HttpsOverview"];
export type HttpsForm = components["schemas"]["HttpsForm"];
export type HttpsWay = components["schemas"]["HttpsWay"];
export type LabCaState = components["schemas"]["LabCaState"];
export type NameCheck = components["schemas"]["NameCheck"];
export type PublicLabCa = components["schemas"]["PublicLabCa"];

/** Interval while an order runs and the user waits for it. */
const runningMs = 2000;
const restingMs = 30_000;

/** The response to a change precedes the first try, and a certificate is served a moment after it was issued. */
const isUnderWay = ({ way, ownFiles, tries, certificate, listening }: HttpsOverview) => {
  if (way === "off" || ownFiles || tries.held) return false;
  if (tries.running) return true;
  return certificate ? !certificate.served && listening != null : tries.failures === 0;
};

export const httpsQuery = queryOptions({
  queryKey: ["settings", "https"],
  queryFn: ({ signal }) => unwrap(portal.GET("/api/settings/https", { signal })),
  refetchInterval: ({ state: { data } }) => (data && isUnderWay(data) ? runningMs : restingMs),
});

const affected = ["settings", "duties", "logs", "dashboard", "lab-ca"];

/** A key that is left out stays unchanged. */
export const useSaveHttps = () =>
  useAffecting(affected, (body: HttpsForm) => unwrap(portal.PUT("/api/settings/https", { body })));

/** The answer does not wait for the certificate. */
export const useOrderNow = () =>
  useAffecting(affected, () => unwrap(portal.POST("/api/settings/https/order")));

/** Tries the names of the saved settings. */
export const useCheckNames = () =>
  useAffecting(["logs"], () => unwrap(portal.POST("/api/settings/https/check")));

export const useMakeLabCa = () =>
  useAffecting(affected, (body: components["schemas"]["NewCa"]) =>
    unwrap(portal.POST("/api/settings/https/lab-ca", { body })),
  );

export const labCaQuery = queryOptions({
  queryKey: ["lab-ca"],
  queryFn: ({ signal }) => unwrap(portal.GET("/api/lab-ca", { signal })),
});
