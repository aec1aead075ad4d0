// Browser and system in a user agent string, as far as they can be recognised; the whole string is shown on hover.

const browsers: readonly [RegExp, string][] = [
  [/Edg(?:e|A|iOS)?\/(\d+)/, "Edge"],
  [/(?:Firefox|FxiOS)\/(\d+)/, "Firefox"],
  [/MicroMessenger\/(\d+)/, "微信"],
  [/(?:Chrome|CriOS|Chromium)\/(\d+)/, "Chrome"],
  [/Version\/(\d+).*Safari/, "Safari"],
  [/curl\/(\d+)/, "curl"],
];

const systems: readonly [RegExp, string][] = [
  [/Windows/, "Windows"],
  [/Android/, "Android"],
  [/iPhone|iPad|iOS/, "iOS"],
  [/Mac OS X/, "macOS"],
  [/Linux/, "Linux"],
];

/** Longer strings are cut; the rest is in the tooltip. */
const most = 40;

export function browserName(agent: string): string {
  const system = systems.find(([pattern]) => pattern.test(agent))?.[1];
  for (const [pattern, name] of browsers) {
    const version = pattern.exec(agent)?.[1];
    if (version) return system ? `${name} ${version} · ${system}` : `${name} ${version}`;
  }
  if (agent === "") return "—";
  return agent.length > most ? `${agent.slice(0, most)}…` : agent;
}
