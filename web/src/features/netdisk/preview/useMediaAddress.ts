// The address of a file for the browser's own player, which signs nothing: a ticket stands in it. A ticket is soon too
// old for a new request, and players make one at every jump; so there is a fresh one whenever the player fails.
import { useQuery } from "@tanstack/react-query";
import { type RefObject, useRef, useState } from "react";
import { rawAddress } from "../api";

/** After that many in a row it is not the ticket. */
const mostTries = 3;

export function useMediaAddress(host: string, path: string, player: RefObject<HTMLMediaElement | null>) {
  const [round, setRound] = useState(0);
  const resume = useRef<{ time: number; playing: boolean } | null>(null);
  const tries = useRef(0);
  const [broken, setBroken] = useState(false);
  const { data, error, refetch } = useQuery({
    queryKey: ["netdisk-media", host, path, round],
    queryFn: () => rawAddress(host, path, { inline: "true" }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    placeholderData: (previous: URL | undefined) => previous,
  });

  function onError() {
    const media = player.current;
    if (!media) return;
    // What was never readable does not become so by another ticket.
    if (tries.current >= mostTries || media.error?.code === MediaError.MEDIA_ERR_DECODE) {
      setBroken(true);
      return;
    }
    tries.current += 1;
    resume.current = { time: media.currentTime, playing: !media.paused };
    setRound((last) => last + 1);
  }

  function onReady() {
    const media = player.current;
    const { current } = resume;
    resume.current = null;
    if (!media || !current) return;
    media.currentTime = current.time;
    // A browser that refuses to go on by itself leaves the player's own button.
    if (current.playing) media.play().catch(() => {});
  }

  /** It plays: from here on a failure is a new one. */
  const onPlaying = () => {
    tries.current = 0;
  };

  return {
    address: data?.href,
    error,
    refetch,
    broken,
    on: { onError, onLoadedMetadata: onReady, onPlaying },
  };
}
