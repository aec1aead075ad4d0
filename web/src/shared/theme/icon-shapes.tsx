// The icon set: 16 px grid, 1.5 stroke, round ends, current colour. Drawn here rather than taken from a package so
// that the whole set costs a few kilobytes and none of them brings an accessible name of its own.
import type { ReactNode } from "react";

export const iconShapes = {
  alert: <path d="M8 2.2 14.3 13.3H1.7zM8 6.5v3.2M8 11.6v.01" />,
  announce: <path d="M2 6.3v3.4h2.3L11 13V3L4.3 6.3zM13 6.5c.7.8.7 2.2 0 3M4.8 9.9l.8 3.3" />,
  attachment: (
    <path d="m13 7.5-5.3 5.3a3.2 3.2 0 0 1-4.5-4.5L8.7 2.8a2.1 2.1 0 0 1 3 3L6.4 11a1 1 0 0 1-1.5-1.5L10 4.6" />
  ),
  ban: (
    <>
      <circle cx={8} cy={8} r={6} />
      <path d="m3.9 3.9 8.2 8.2" />
    </>
  ),
  bell: <path d="M3 11.5c1-1 1.2-2.3 1.2-4.3a3.8 3.8 0 0 1 7.6 0c0 2 .2 3.3 1.2 4.3zM6.5 13.8h3" />,
  calendar: (
    <>
      <rect x={2} y={3} width={12} height={11} rx={1} />
      <path d="M2 6.5h12M5.2 1.5v3M10.8 1.5v3" />
    </>
  ),
  check: <path d="m3 8.5 3.5 3.5L13 4.5" />,
  clock: (
    <>
      <circle cx={8} cy={8} r={6} />
      <path d="M8 4.5V8l2.3 1.6" />
    </>
  ),
  close: <path d="m4 4 8 8M12 4l-8 8" />,
  copy: (
    <>
      <rect x={5.5} y={5.5} width={8} height={8.5} rx={1} />
      <path d="M10.5 5.5V3a1 1 0 0 0-1-1H3.5a1 1 0 0 0-1 1v7a1 1 0 0 0 1 1h2" />
    </>
  ),
  cpu: (
    <>
      <rect x={4} y={4} width={8} height={8} rx={1} />
      <path d="M6.5 1.8v2M9.5 1.8v2M6.5 12.2v2M9.5 12.2v2M1.8 6.5h2M1.8 9.5h2M12.2 6.5h2M12.2 9.5h2" />
    </>
  ),
  dataset: (
    <>
      <ellipse cx={8} cy={3.8} rx={5.5} ry={2} />
      <path d="M2.5 3.8v8.4c0 1.1 2.5 2 5.5 2s5.5-.9 5.5-2V3.8M2.5 8c0 1.1 2.5 2 5.5 2s5.5-.9 5.5-2" />
    </>
  ),
  down: <path d="m3.5 6 4.5 4.5L12.5 6" />,
  download: (
    <path d="M8 2.3v8M4.8 7.3 8 10.5l3.2-3.2M2.5 10.5v2.5a.5.5 0 0 0 .5.5h10a.5.5 0 0 0 .5-.5v-2.5" />
  ),
  edit: <path d="M10.8 2.7 13.3 5.2 5.5 13H3v-2.5zM9.3 4.2l2.5 2.5" />,
  exit: <path d="M6.5 13.5H3a.5.5 0 0 1-.5-.5V3a.5.5 0 0 1 .5-.5h3.5M10.5 11l3-3-3-3M13.5 8H6.5" />,
  exitFullscreen: <path d="M6 2.5V6H2.5M13.5 6H10V2.5M10 13.5V10h3.5M2.5 10H6v3.5" />,
  external: (
    <path d="M9.5 2.5h4v4M13.5 2.5 7.5 8.5M12 9.5V13a.5.5 0 0 1-.5.5h-8A.5.5 0 0 1 3 13V5a.5.5 0 0 1 .5-.5H7" />
  ),
  eye: (
    <>
      <path d="M1.5 8S3.8 3.5 8 3.5 14.5 8 14.5 8 12.2 12.5 8 12.5 1.5 8 1.5 8z" />
      <circle cx={8} cy={8} r={1.9} />
    </>
  ),
  eyeOff: (
    <path d="M1.5 8S3.8 3.5 8 3.5c1.1 0 2 .3 2.9.7M14.5 8S12.2 12.5 8 12.5c-1.1 0-2-.3-2.9-.7M12.6 5.6C13.9 6.7 14.5 8 14.5 8M3.4 10.4C2.1 9.3 1.5 8 1.5 8M2.5 2.5l11 11" />
  ),
  fault: (
    <>
      <circle cx={8} cy={8} r={6} />
      <path d="m5.9 5.9 4.2 4.2M10.1 5.9l-4.2 4.2" />
    </>
  ),
  file: <path d="M3.5 1.8h5.5l3.5 3.5v8.9h-9zM9 1.8v3.5h3.5" />,
  fileArchive: <path d="M3 1.8h10v12.4H3zM7 2v1.5M9 3.5V5M7 5v1.5M9 6.5V8M7 9.5h2v2.5H7z" />,
  fileAudio: (
    <>
      <path d="M6 12V3.5l7-1.4v8.4M6 6l7-1.4" />
      <circle cx={4.4} cy={12} r={1.7} />
      <circle cx={11.4} cy={10.5} r={1.7} />
    </>
  ),
  fileCode: (
    <path d="M3.5 1.8h5.5l3.5 3.5v8.9h-9zM9 1.8v3.5h3.5M6.8 8 5.5 9.6l1.3 1.6M9.2 8l1.3 1.6-1.3 1.6" />
  ),
  fileImage: (
    <>
      <rect x={2} y={2.5} width={12} height={11} rx={1} />
      <circle cx={5.5} cy={6} r={1.1} />
      <path d="m2.5 12 3.5-3.5 2.2 2.2 2.3-2.7 3 3.5" />
    </>
  ),
  filePdf: (
    <path d="M3.5 1.8h5.5l3.5 3.5v8.9h-9zM9 1.8v3.5h3.5M5.6 11.8c1.6-.5 3.4-3.4 2.6-4.6-.8-.7-1 2 .4 3 .9.7 2 .5 1.8-.1-.4-.7-3 0-4.8 1.7z" />
  ),
  fileText: <path d="M3.5 1.8h5.5l3.5 3.5v8.9h-9zM9 1.8v3.5h3.5M5.8 8.2h4.4M5.8 11h3" />,
  fileVideo: (
    <>
      <rect x={1.8} y={3} width={12.4} height={10} rx={1.2} />
      <path d="m6.6 5.8 3.6 2.2-3.6 2.2z" />
    </>
  ),
  filter: <path d="M2 3.5h12M4.5 8h7M7 12.5h2" />,
  folder: <path d="M1.5 12.5v-9a1 1 0 0 1 1-1H6l1.5 2h6a1 1 0 0 1 1 1v7a1 1 0 0 1-1 1h-11a1 1 0 0 1-1-1z" />,
  fullscreen: <path d="M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10" />,
  gear: (
    <>
      <circle cx={8} cy={8} r={2} />
      <path d="M8 1.5v2M8 12.5v2M1.5 8h2M12.5 8h2M3.4 3.4l1.4 1.4M11.2 11.2l1.4 1.4M3.4 12.6l1.4-1.4M11.2 4.8l1.4-1.4" />
    </>
  ),
  gpu: (
    <>
      <rect x={1.5} y={4} width={13} height={8} rx={1} />
      <circle cx={5.3} cy={8} r={1.7} />
      <circle cx={10.7} cy={8} r={1.7} />
      <path d="M3.5 12v2M6 12v2" />
    </>
  ),
  grid: (
    <>
      <rect x={2} y={2} width={5} height={5} rx={0.8} />
      <rect x={9} y={2} width={5} height={5} rx={0.8} />
      <rect x={2} y={9} width={5} height={5} rx={0.8} />
      <rect x={9} y={9} width={5} height={5} rx={0.8} />
    </>
  ),
  half: (
    <>
      <circle cx={8} cy={8} r={6} />
      <path d="M8 2a6 6 0 0 1 0 12z" fill="currentColor" stroke="none" />
    </>
  ),
  home: (
    <>
      <path d="M2.5 7 8 2.5 13.5 7v6a.5.5 0 0 1-.5.5H3a.5.5 0 0 1-.5-.5z" />
      <path d="M6.5 13.5v-4h3v4" />
    </>
  ),
  info: (
    <>
      <circle cx={8} cy={8} r={6} />
      <path d="M8 7.3v3.7M8 5v.01" />
    </>
  ),
  key: (
    <>
      <circle cx={5} cy={11} r={2.8} />
      <path d="m7 9 6.3-6.3M10.5 5.5l2 2M12 4l1.3 1.3" />
    </>
  ),
  layers: (
    <>
      <path d="m8 1.8 6 3-6 3-6-3z" />
      <path d="m2 8 6 3 6-3M2 11.2l6 3 6-3" />
    </>
  ),
  left: <path d="M10 3.5 5.5 8l4.5 4.5" />,
  list: <path d="M5.5 4H14M5.5 8H14M5.5 12H14M2.3 4h.01M2.3 8h.01M2.3 12h.01" />,
  lock: (
    <>
      <rect x={3} y={7} width={10} height={7} rx={1} />
      <path d="M5 7V5a3 3 0 0 1 6 0v2" />
    </>
  ),
  log: <path d="M3 1.8h10v12.4H3zM5.5 5h5M5.5 8h5M5.5 11h3" />,
  mail: (
    <>
      <rect x={1.8} y={3} width={12.4} height={10} rx={1.2} />
      <path d="m2.2 4.5 5.8 4.3 5.8-4.3" />
    </>
  ),
  menu: <path d="M2 4h12M2 8h12M2 12h8" />,
  minus: <path d="M3 8h10" />,
  more: <path d="M3.5 8h.01M8 8h.01M12.5 8h.01" strokeWidth={2} />,
  move: (
    <path d="M1.5 12.5v-9a1 1 0 0 1 1-1H6l1.5 2h6a1 1 0 0 1 1 1v7a1 1 0 0 1-1 1h-11a1 1 0 0 1-1-1zM5.5 9h5M8.5 7l2 2-2 2" />
  ),
  newFile: <path d="M3.5 1.8h5.5l3.5 3.5v8.9h-9zM9 1.8v3.5h3.5M8 7.6v4M6 9.6h4" />,
  newFolder: (
    <path d="M1.5 12.5v-9a1 1 0 0 1 1-1H6l1.5 2h6a1 1 0 0 1 1 1v7a1 1 0 0 1-1 1h-11a1 1 0 0 1-1-1zM8 7v4M6 9h4" />
  ),
  notice: (
    <path d="M3 11.5c1-1 1.2-2.3 1.2-4.3a3.8 3.8 0 0 1 7.6 0c0 2 .2 3.3 1.2 4.3zM6.5 13.8h3M1.5 5.3c.2-1.3.8-2.4 1.7-3.2M14.5 5.3c-.2-1.3-.8-2.4-1.7-3.2" />
  ),
  pause: <path d="M5.5 3.5v9M10.5 3.5v9" />,
  phone: (
    <path d="M5 1.8h6a.8.8 0 0 1 .8.8v10.8a.8.8 0 0 1-.8.8H5a.8.8 0 0 1-.8-.8V2.6a.8.8 0 0 1 .8-.8zM7.2 12h1.6" />
  ),
  pin: <path d="M5.5 2h5M6.3 2v4.2L4.2 9h7.6L9.7 6.2V2M8 9v5" />,
  plus: <path d="M8 3v10M3 8h10" />,
  progress: <path d="M8 2a6 6 0 1 1-6 6" />,
  qrcode: (
    <>
      <rect x={2} y={2} width={4.5} height={4.5} />
      <rect x={9.5} y={2} width={4.5} height={4.5} />
      <rect x={2} y={9.5} width={4.5} height={4.5} />
      <path d="M9.5 9.5h2v2M14 9.5v2M9.5 14h1M12.5 14H14" />
    </>
  ),
  refresh: <path d="M13.5 8A5.5 5.5 0 1 1 11.6 3.9M13.5 1.8v3h-3" />,
  rename: <path d="M2 4.5h7M2 11.5h7M2 4.5v7M11.5 2.5h2M12.5 2.5v11M11.5 13.5h2" />,
  restart: <path d="M2.5 8a5.5 5.5 0 1 0 1.9-4.1M2.5 1.8v3h3" />,
  right: <path d="m6 3.5 4.5 4.5L6 12.5" />,
  running: (
    <>
      <circle cx={8} cy={8} r={6} />
      <path d="M6.6 5.6v4.8L10.6 8z" fill="currentColor" />
    </>
  ),
  save: <path d="M2.5 2.5h9l2 2v9h-11zM5 2.5v3.5h5V2.5M5 13.5V9.5h6v4" />,
  search: (
    <>
      <circle cx={7} cy={7} r={4.5} />
      <path d="m10.5 10.5 3.5 3.5" />
    </>
  ),
  send: <path d="M14 2 7.2 8.8M14 2 9.7 14 7.2 8.8 2 6.3z" />,
  server: (
    <>
      <rect x={2} y={2.5} width={12} height={4.5} rx={1} />
      <rect x={2} y={9} width={12} height={4.5} rx={1} />
      <path d="M4.5 4.8h.01M4.5 11.2h.01M9 4.8h2.5M9 11.2h2.5" />
    </>
  ),
  share: (
    <>
      <circle cx={12} cy={3.5} r={1.8} />
      <circle cx={4} cy={8} r={1.8} />
      <circle cx={12} cy={12.5} r={1.8} />
      <path d="m5.6 7.1 4.8-2.7M5.6 8.9l4.8 2.7" />
    </>
  ),
  shield: <path d="M8 1.8 13 3.6v4.2c0 3-2.1 5.2-5 6.4-2.9-1.2-5-3.4-5-6.4V3.6zM5.8 8l1.6 1.6 2.9-3" />,
  sidePanel: (
    <>
      <rect x={1.8} y={2.5} width={12.4} height={11} rx={1} />
      <path d="M6 2.5v11" />
    </>
  ),
  sliders: (
    <>
      <path d="M2 4.5h7M12.5 4.5H14M2 11.5h1.5M7 11.5h7" />
      <circle cx={10.8} cy={4.5} r={1.7} />
      <circle cx={5.2} cy={11.5} r={1.7} />
    </>
  ),
  start: <path d="M4.5 3v10l8-5z" />,
  step: <circle cx={8} cy={8} r={6} />,
  stopped: (
    <>
      <circle cx={8} cy={8} r={6} />
      <rect x={6} y={6} width={4} height={4} fill="currentColor" />
    </>
  ),
  success: (
    <>
      <circle cx={8} cy={8} r={6} />
      <path d="m5.3 8.3 1.9 1.9 3.6-4" />
    </>
  ),
  terminal: (
    <>
      <rect x={1.5} y={2.5} width={13} height={11} rx={1.2} />
      <path d="m4.5 6 2.2 2-2.2 2M8.5 10.5h3" />
    </>
  ),
  ticket: <path d="M2 3h12v8.5H8.5L5.5 14v-2.5H2zM5 6.3h6M5 8.6h4" />,
  trash: <path d="M2.5 4.2h11M6 4V2.5h4V4M4 4.2l.6 9.3h6.8l.6-9.3M6.7 7v4M9.3 7v4" />,
  unlink: <path d="M7 12.7A2.6 2.6 0 0 1 3.3 9l1.5-1.5M9 3.3A2.6 2.6 0 0 1 12.7 7l-1.5 1.5M2.5 2.5l11 11" />,
  up: <path d="m3.5 10 4.5-4.5L12.5 10" />,
  upload: <path d="M8 10.5v-8M4.8 5.5 8 2.3l3.2 3.2M2.5 10.5v2.5a.5.5 0 0 0 .5.5h10a.5.5 0 0 0 .5-.5v-2.5" />,
  user: (
    <>
      <circle cx={8} cy={5} r={2.8} />
      <path d="M2.8 13.8c.3-2.8 2.5-4.2 5.2-4.2s4.9 1.4 5.2 4.2" />
    </>
  ),
  users: (
    <>
      <circle cx={6} cy={5} r={2.5} />
      <path d="M1.5 13.5c0-2.5 2-4 4.5-4s4.5 1.5 4.5 4M10.5 2.8a2.4 2.4 0 0 1 0 4.5M12 9.9c1.5.5 2.5 1.8 2.5 3.6" />
    </>
  ),
  wrench: (
    <path d="M13.8 4.6a3.8 3.8 0 0 1-5 4.6L4.6 13.4a1.4 1.4 0 0 1-2-2L6.8 7.2a3.8 3.8 0 0 1 4.6-5L9.3 4.3l.4 2 2 .4z" />
  ),
} satisfies Record<string, ReactNode>;

export type IconName = keyof typeof iconShapes;
