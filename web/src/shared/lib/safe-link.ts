/** Validates a URL from the settings for a link: an administrator's typing mistake must not run as script. */
export function safeLink(address: string | undefined): string | undefined {
  if (!address) return undefined;
  try {
    const url = new URL(address, location.origin);
    return ["http:", "https:", "mailto:"].includes(url.protocol) ? url.href : undefined;
  } catch {
    return undefined;
  }
}
