// An error as views need it. The API client's error has this shape.

export interface Failure {
  /** The server's words, ready for the reader. */
  message: string;
  /** Faults of single fields, by the API's names. */
  fields: readonly { name: string; message: string }[];
  /** To be quoted when asking for help; missing when there was no response. */
  requestId?: string | undefined;
}
