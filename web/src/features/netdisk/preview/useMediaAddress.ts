// The URL of a file for the browser's own player, which sends no headers: it contains a ticket. A ticket soon expires
// for new requests, and players make one at every seek; so there is a new one whenever the player fails.
import { useQuery } from "@tanstack/react-query";
import { type RefObject, useEffect, useRef, useState } from "react";
import { askDisk, diskClient } from "@/shared/api/disk-client";
import { type ApiError, asApiError, networkProblem } from "@/shared/api/problem";
import { rawAddress } from "../api";

/** After this many failures in a row the ticket is not the cause. */
const mostTries = 3;

/** Why a player gave up. */
type Fault =
  /** It cannot decode the content. */
  | { kind: "format" }
  /** It got nothing. */
  | { kind: "answer"; error: ApiError };

/** The state to restore at another URL, which the player treats as another recording. */
interface Resumption {
  time: number;
  playing: boolean;
  rate: number;
}

/** Players hardly report the server's response, so the request is repeated. */
async function faultOf(host: string, path: string, error: MediaError | null): Promise<Fault> {
  if (error?.code === MediaError.MEDIA_ERR_DECODE) return { kind: "format" };
  if (error?.code === MediaError.MEDIA_ERR_NETWORK) return { kind: "answer", error: networkProblem(error) };
  try {
    const query = { inline: true };
    const call = diskClient(host).GET("/api/raw/{path}", {
      params: { path: { path }, query },
      headers: { range: "bytes=0-0" },
      parseAs: "text",
    });
    await askDisk(call);
    return { kind: "format" };
  } catch (cause) {
    return { kind: "answer", error: asApiError(cause) };
  }
}

export function useMediaAddress(host: string, path: string, player: RefObject<HTMLMediaElement | null>) {
  const [round, setRound] = useState(0);
  const resume = useRef<Resumption | null>(null);
  const tries = useRef(0);
  const [fault, setFault] = useState<Fault | null>(null);
  const { data, error } = useQuery({
    queryKey: ["netdisk-media", host, path, round],
    queryFn: () => rawAddress(host, path, { inline: "true" }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    placeholderData: (previous: URL | undefined) => previous,
  });

  // Within one second a ticket is the same, and so is the URL: only this reloads it.
  useEffect(() => {
    if (data && player.current?.error) player.current.load();
  }, [data, player]);

  function onError() {
    const media = player.current;
    if (!media) return;
    // An unreadable file does not become readable by another ticket.
    if (tries.current >= mostTries || media.error?.code === MediaError.MEDIA_ERR_DECODE) {
      resume.current ??= { time: media.currentTime, playing: false, rate: media.playbackRate };
      void faultOf(host, path, media.error).then(setFault);
      return;
    }
    tries.current += 1;
    resume.current = { time: media.currentTime, playing: !media.paused, rate: media.playbackRate };
    setRound((last) => last + 1);
  }

  /** From where it was, with a new ticket. */
  function retry() {
    tries.current = 0;
    setFault(null);
    setRound((last) => last + 1);
  }

  function onReady() {
    const media = player.current;
    const { current } = resume;
    resume.current = null;
    if (!media || !current) return;
    media.currentTime = current.time;
    media.playbackRate = current.rate;
    // A browser that refuses to go on by itself leaves the player's own button.
    if (current.playing) media.play().catch(() => {});
  }

  /** A seek while there is no valid URL determines where the next one continues. */
  function onSeeking() {
    if (resume.current && player.current) resume.current.time = player.current.currentTime;
  }

  /** It plays, or has completed the seek: from here on a failure is a new one. */
  const onWell = () => {
    tries.current = 0;
  };

  return {
    address: data?.href,
    /** The file can be had, but not played. */
    unplayable: fault?.kind === "format",
    error: fault?.kind === "answer" ? fault.error : error,
    retry,
    on: { onError, onLoadedMetadata: onReady, onPlaying: onWell, onSeeking, onSeeked: onWell },
  };
}
