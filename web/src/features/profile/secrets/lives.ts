// How long a secret can be good for.

const DAY_MS = 24 * 60 * 60 * 1000;

/** In days. */
export const lives = [7, 30, 90, 180, 365].map((days) => ({
  value: days,
  label: days === 365 ? "1 年" : `${days} 天`,
}));

/** When a secret that is made now expires. */
export const expiresIn = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();
