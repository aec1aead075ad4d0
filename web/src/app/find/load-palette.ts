// Loads the search over everything, with the first sign that it is wanted: keys that are typed before it is there would
// be lost.

export const loadPalette = async () => (await import("./Palette")).Palette;

/** A failure is the business of the opening itself. */
export const expectPalette = () => void loadPalette().catch(() => undefined);
