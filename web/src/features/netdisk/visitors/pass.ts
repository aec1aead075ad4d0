// The token that replaces a share's password, kept in this tab so that a reload does not ask again. The server lets it
// expire after an hour.
import { useState } from "react";
import type { Spot } from "./spot";

/** With the host: another one that claims the same hash must not get it. */
const keyOf = ({ host, hash }: Spot) => `share_pass ${host} ${hash}`;

function read(key: string): string | null {
  try {
    return sessionStorage.getItem(key);
  } catch {
    return null;
  }
}

function write(key: string, pass: string | null) {
  try {
    if (pass === null) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, pass);
  } catch {
    // Then the next reload asks again.
  }
}

export function usePass(spot: Spot) {
  const key = keyOf(spot);
  const [pass, setPass] = useState(() => read(key));
  return {
    pass,
    setPass: (next: string | null) => {
      write(key, next);
      setPass(next);
    },
  };
}
