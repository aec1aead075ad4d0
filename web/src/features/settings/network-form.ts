// The form of the instances' networks: like the API's, with the open ports as one line of text.
import type { NetworkSettings } from "./api";

export interface NetworkForm extends Omit<NetworkSettings, "openPorts"> {
  openPorts: string;
}

export function networkFormOf(network: NetworkSettings): NetworkForm {
  return { ...network, openPorts: network.openPorts.join("，") };
}

export function networkOf(form: NetworkForm): NetworkSettings {
  return { ...form, subnets: form.subnets.trim(), openPorts: portsOf(form.openPorts).map(Number) };
}

function portsOf(text: string): string[] {
  return text.split(/[\s,，、]+/).filter((word) => word !== "");
}

/** Ports between 1 and 65535, each as people write a number. */
export function arePorts(text: string): boolean {
  return portsOf(text).every((word) => /^[1-9]\d{0,4}$/.test(word) && Number(word) <= 65_535);
}
