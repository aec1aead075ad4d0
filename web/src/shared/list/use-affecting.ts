// A change on the server and what it makes stale. Invalidates also after a failure: half of it may have happened. The
// fresh lists are not waited for: a row that leaves with them takes along the callbacks given to its `mutate`, and the
// change would go unannounced.
import { type QueryKey, type UseMutationResult, useMutation, useQueryClient } from "@tanstack/react-query";
import { type ApiError, asApiError } from "@/shared/api/problem";

/**
 * `affected` are the first parts of the query keys, such as `users`. `isGone` tells queries that a success makes
 * unanswerable: they are not asked again.
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
