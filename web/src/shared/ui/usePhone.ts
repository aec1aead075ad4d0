// Whether the window is a phone's: there tables become cards and labels are above their fields.
import { media, useMediaQuery } from "@/shared/lib/use-media-query";

export const usePhone = () => useMediaQuery(media.phone);
