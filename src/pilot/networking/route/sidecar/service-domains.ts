import { isIpAddress } from "../../../../config/address.ts";
import { Memo } from "../../../../lib/memo.ts";
import type { Service } from "../../../model/service.ts";
import { bracketed, hostAndPort } from "../host-and-port.ts";
import { shortNamesOf } from "./short-names.ts";

/** Whether the domains of a virtual host name its port: where the port of a request is ignored, they need not. */
export type PortForm = "without" | "with" | "both";

/** Under which names requests for a service arrive, in lower case. */
export interface ServiceDomains {
  readonly domains: readonly string[];
  /** Those among `domains` that nobody wrote: they give way to services that really have such a name. */
  readonly alternates: ReadonlySet<string>;
}

/** How names are written in the virtual hosts of one port. */
export interface Spelling {
  readonly form: PortForm;
  readonly port: number;
  /** Of the proxies that ask: decides how short a name may be. */
  readonly dnsDomain: string;
}

const built = new Memo<ServiceDomains>();

/** The domains of services in one way of spelling. */
export function domainsSpelt(spelling: Spelling): (service: Service) => ServiceDomains {
  const { form, port, dnsDomain } = spelling;
  const id = `${form} ${port} ${dnsDomain}`;
  return (service) => built.get([service], id, () => domainsOf(service, spelling));
}

function domainsOf(service: Service, spelling: Spelling): ServiceDomains {
  const { registry, resolution } = service;
  const spell = (host: string) => spellings(host, spelling);
  const hostname = service.hostname.toLowerCase();
  const absolute = isIpAddress(hostname) ? [] : [`${hostname}.`];
  const alternates = [...absolute, ...shortNamesOf(hostname, spelling.dnsDomain)].flatMap(spell);
  const names = [...spell(hostname), ...alternates];
  // Each pod of a headless service has a name of its own below the service's.
  const headless = registry === "Kubernetes" && resolution === "passthrough";
  const pods = headless ? names.map((name) => `*.${name}`) : [];
  const addresses = service.addresses.filter((address) => address !== "0.0.0.0");
  return { domains: [...names, ...pods, ...addresses.flatMap(spell)], alternates: new Set(alternates) };
}

/** A host in the form that is wanted, in lower case. */
export function spellings(host: string, { form, port }: Spelling): readonly string[] {
  const name = host.toLowerCase();
  if (form === "without") return [bracketed(name)];
  return form === "with" ? [hostAndPort(name, port)] : [bracketed(name), hostAndPort(name, port)];
}
