import { isIpAddress } from "../../../../config/address.ts";
import type { Service } from "../../../model/service.ts";
import { bracketed, hostAndPort } from "../host-and-port.ts";
import { shortNamesOf } from "./short-names.ts";

/** Whether the domains of a virtual host name its port: where the port of a request is ignored, they need not. */
export type PortForm = "without" | "with" | "both";

/** Under which names requests for a service arrive. */
export interface ServiceDomains {
  readonly domains: readonly string[];
  /** Those among `domains` that nobody wrote: they give way to services that really have such a name. */
  readonly alternates: ReadonlySet<string>;
}

export function serviceDomains(
  service: Service,
  dnsDomain: string,
  spell: (host: string) => readonly string[],
): ServiceDomains {
  const { hostname, addresses, registry, resolution } = service;
  const absolute = isIpAddress(hostname) ? [] : [`${hostname}.`];
  const alternates = [...absolute, ...shortNamesOf(hostname, dnsDomain)].flatMap(spell);
  const names = [...spell(hostname), ...alternates];
  // Each pod of a headless service has a name of its own below the service's.
  const headless = registry === "Kubernetes" && resolution === "passthrough";
  const pods = headless ? names.map((name) => `*.${name}`) : [];
  const own = addresses.filter((address) => address !== "0.0.0.0").flatMap(spell);
  return { domains: [...names, ...pods, ...own], alternates: new Set(alternates) };
}

/** Writes a host in the form that is wanted. */
export function spelling(form: PortForm, port: number): (host: string) => readonly string[] {
  if (form === "without") return (host) => [bracketed(host)];
  if (form === "with") return (host) => [hostAndPort(host, port)];
  return (host) => [bracketed(host), hostAndPort(host, port)];
}
