// A change on the server and the queries that it makes stale. Invalidates also after a failure, which may be partial.
// The fresh lists are not awaited: a row that disappears with them takes along the callbacks given to its `mutate`, and
// the change would not be reported.
import { type QueryKey, type UseMutationResult, useMutation, useQueryClient } from "@tanstack/react-query";
import { type ApiError, asApiError } from "@/shared/api/problem";

/**
 * `affected` are the first parts of the query keys, such as `users`. `isGone` matches queries whose object a success
 * deletes: they are not refetched.
 */
export function useAffecting<Input, Output>(
  affected: readonly string[],
  change: (input: Input) => Promise<Output>,
  isGone: (key: QueryKey, input: Input) => boolean = () => false,
): UseMutationResult<Output, ApiError, Input> {
  const client = useQueryClient();
  return useMutation<Output, ApiError, Input>({
    mutationFn: async (input) => {
      try {
        return await change(input);
      } catch (error) {
        throw asApiError(error);
      }
    },
    onSettled: (_output, error, input) => {
      const answerable = ({ queryKey }: { queryKey: QueryKey }) => error !== null || !isGone(queryKey, input);
      for (const key of affected) void client.invalidateQueries({ queryKey: [key], predicate: answerable });
    },
  });
}
