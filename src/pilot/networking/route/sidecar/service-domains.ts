import { isIpAddress } from "../../../../config/grammar/address.ts";
import { memoize } from "../../../../lib/memo.ts";
import { type AddressFamilies, isOfFamilies } from "../../../model/proxy/address-families.ts";
import type { Service } from "../../../model/service/service.ts";
import { bracketed, hostAndPort } from "../../address.ts";
import { shortNamesOf } from "./short-names.ts";

/** Whether the domains of a virtual host name its port: where the port of a request is ignored, they need not. */
export type PortForm = "without" | "with" | "both";

/** The domains of requests for a service, in lower case. */
export interface ServiceDomains {
  readonly domains: readonly string[];
  /** The generated ones among `domains`: services with such a hostname take precedence. */
  readonly alternates: ReadonlySet<string>;
}

/** How names are written in the virtual hosts of one port. */
export interface Spelling {
  readonly form: PortForm;
  readonly port: number;
  /** Of the proxies that ask: decides how short a name may be. */
  readonly dnsDomain: string;
  /** The address families of the proxies: they cannot call addresses of another family. */
  readonly families: AddressFamilies;
}

/** How names are written on one port of a listener. Where Envoy ignores ports, `plain` has no port. */
export function spellingOf(
  number: number,
  { port, dnsDomain, families }: Pick<Spelling, "port" | "dnsDomain" | "families">,
  plain = 80,
): Spelling {
  return { form: formFor(number, port, plain), port: number, dnsDomain, families };
}

/** Where all ports share a listener, only the port of a request tells them apart; without one, `plain` is meant. */
function formFor(port: number, listenPort: number, plain: number): PortForm {
  if (listenPort !== 0) return "without";
  return port === plain ? "both" : "with";
}

/** The domains of services in one way of spelling. */
export function domainsSpelt(spelling: Spelling): (service: Service) => ServiceDomains {
  const { form, port, dnsDomain, families } = spelling;
  return (service) => domainsOf([service], { form, port, dnsDomain, families });
}

const domainsOf = memoize(([service]: readonly [Service], spelling: Spelling): ServiceDomains => {
  const { registry, resolution } = service;
  const hostnames = [service, ...service.aliases].map(({ hostname }) => hostname.toLowerCase());
  const written = new Set(hostnames.flatMap((hostname) => spellings(hostname, spelling)));
  const names = hostnames.flatMap((hostname) => namesOf(hostname, spelling));
  // Each pod of a headless service has a name of its own below the service's.
  const headless = registry === "Kubernetes" && resolution === "passthrough";
  const pods = headless ? names.map((name) => `*.${name}`) : [];
  const addresses = calledAddresses(service, spelling.families)
    .filter((address) => address !== "0.0.0.0")
    .flatMap((address) => spellings(address, spelling));
  const alternates = new Set(names.filter((name) => !written.has(name)));
  return { domains: [...names, ...pods, ...addresses], alternates };
});

/** Addresses of the proxy's families. The explicit addresses of an entry are kept if no other is left. */
function calledAddresses({ addresses, registry }: Service, families: AddressFamilies): readonly string[] {
  const own = addresses.filter((address) => isOfFamilies(address, families));
  return own.length === 0 && registry !== "Kubernetes" ? addresses : own;
}

/** A hostname, its absolute form, and its short forms. */
function namesOf(hostname: string, spelling: Spelling): readonly string[] {
  const absolute = isIpAddress(hostname) ? [] : [`${hostname}.`];
  const names = [hostname, ...absolute, ...shortNamesOf(hostname, spelling.dnsDomain)];
  return names.flatMap((name) => spellings(name, spelling));
}

/** A host with or without its port, in lower case. */
export function spellings(host: string, { form, port }: Spelling): readonly string[] {
  const name = host.toLowerCase();
  if (form === "without") return [bracketed(name)];
  return form === "with" ? [hostAndPort(name, port)] : [bracketed(name), hostAndPort(name, port)];
}
