// Making the command that adds a server, watching it, and taking it back.
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { portal, unwrap } from "@/shared/api/client";
import type { components } from "@/shared/api/portal";
import { useAffecting } from "@/shared/list/use-affecting";

type Schemas = components["schemas"];
export type JoinForm = Schemas["JoinForm"];
export type JoinState = Schemas["JoinState"];
export type JoinStep = Schemas["JoinStep"];
export type JoinView = Schemas["JoinView"];
export type NewJoin = Schemas["NewJoin"];
export type StepOutcome = Schemas["StepOutcome"];

/** Interval while the user watches. */
const watchedMs = 2000;

const named = (id: string) => ({ params: { path: { id } } });

/** After the last step its check is still to come. */
const isMoving = ({ open, state, steps }: JoinView) =>
  open || (state === "done" && !steps.some(({ step }) => step === "check"));

export const joinQuery = (id: string) =>
  queryOptions({
    queryKey: ["joins", "one", id],
    queryFn: ({ signal }) => unwrap(portal.GET("/api/joins/{id}", { ...named(id), signal })),
    refetchInterval: ({ state }) => (state.data && !isMoving(state.data) ? false : watchedMs),
  });

/** The newest ones: those in progress, and the form's initial values. */
export const recentJoinsQuery = queryOptions({
  queryKey: ["joins", "recent"],
  queryFn: ({ signal }) =>
    unwrap(portal.GET("/api/joins", { params: { query: { page: 1, size: 5 } }, signal })),
  placeholderData: keepPreviousData,
});

export const useCreateJoin = () =>
  useAffecting(["joins", "logs"], (body: JoinForm) => unwrap(portal.POST("/api/joins", { body })));

export const useWithdrawJoin = () =>
  useAffecting(["joins", "logs"], (id: string) => unwrap(portal.DELETE("/api/joins/{id}", named(id))));
