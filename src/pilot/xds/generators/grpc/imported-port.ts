import type { EgressScope, SidecarScope } from "../../../model/scope/sidecar-scope.ts";
import type { Port, Service } from "../../../model/service/service.ts";
import { egressIndexOf } from "../../../networking/route/sidecar/egress-index.ts";

/** A port of a service that clients may call, and the egress listener that lets them. */
export interface ImportedPort {
  readonly service: Service;
  readonly port: Port;
  readonly egress: EgressScope;
}

/** Undefined when no egress listener imports it: services that routes merely refer to cannot be called by name. */
export function importedPort(hostname: string, number: number, scope: SidecarScope): ImportedPort | undefined {
  const egress = scope.egress.find(({ port }) => port === undefined || port.number === number);
  const service = egress && egressIndexOf(egress).servicesOn(number).get(hostname.toLowerCase());
  const port = service?.ports.find((each) => each.number === number && each.protocol !== "UDP");
  return egress === undefined || service === undefined || port === undefined ? undefined : { service, port, egress };
}

/** Every port that can be called, by hostname. */
export function importedPorts(scope: SidecarScope): readonly ImportedPort[] {
  return scope.services.flatMap(({ hostname, ports }) =>
    ports.flatMap(({ number }) => importedPort(hostname, number, scope) ?? []),
  );
}
