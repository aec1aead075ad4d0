// What a view has to know about something that went wrong. The API client's error has this shape.

export interface Failure {
  /** The server's words, ready for the reader. */
  message: string;
  /** Faults of single fields, by the API's names. */
  fields: readonly { name: string; message: string }[];
  /** What to quote when asking for help; missing when no answer came at all. */
  requestId?: string | undefined;
}
