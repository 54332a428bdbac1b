import { objectYaml, serviceYaml } from "../yaml.ts";

/** Where requests enter: a gateway, or a service that a sidecar's workload calls. */
export interface EntryPoint {
  /** The host of the requests. */
  readonly host: string;
  /** The gateways that bind a virtual service to this entry. */
  readonly gateways: readonly string[];
  /** The port of the services. */
  readonly port: number;
  /** Where the workload of all services listens. */
  readonly workloadPort: number;
}

/** One state of the mesh as one file. An edit replaces one state by the next. `edit` is the name of the route. */
type MeshState = (entry: EntryPoint, edit: string) => string;

/** A kind of edit that replaces the path of requests: its two states, one after the other. */
export interface KindOfEdit {
  readonly name: string;
  readonly states: readonly [MeshState, MeshState];
}

export const kindsOfEdit: readonly KindOfEdit[] = [
  { name: "a subset is renamed", states: [throughSubset("blue"), throughSubset("green")] },
  { name: "a service and its route are renamed", states: [throughService("blue"), throughService("green")] },
  { name: "a service and its route are added and removed", states: [withDetour, throughService("blue")] },
  { name: "a virtual service is renamed", states: [ruledBy("first"), ruledBy("second")] },
  {
    name: "a service becomes a subset of another, and back",
    states: [throughService("green"), throughSubset("blue")],
  },
];

/** All requests go to one subset, the only one. */
function throughSubset(subset: string): MeshState {
  return (entry, edit) =>
    documents(
      service("stable", entry),
      objectYaml("DestinationRule", "stable", {
        host: hostOf("stable"),
        subsets: [{ name: subset, labels: { version: "v1" } }],
      }),
      routes("routes", entry, [to("stable", entry, edit, { subset })]),
    );
}

/** All requests go to one service, the only one. */
function throughService(name: string): MeshState {
  return (entry, edit) => documents(service(name, entry), routes("routes", entry, [to(name, entry, edit)]));
}

/** Requests for the path of the load have their own route and service. */
function withDetour(entry: EntryPoint, edit: string): string {
  const detour = { match: [{ uri: { prefix: "/load" } }], ...to("detour", entry, edit) };
  const all = [detour, to("blue", entry, "rest")];
  return documents(service("blue", entry), service("detour", entry), routes("routes", entry, all));
}

function ruledBy(name: string): MeshState {
  return (entry, edit) => documents(service("stable", entry), routes(name, entry, [to("stable", entry, edit)]));
}

function service(name: string, { port, workloadPort }: EntryPoint): string {
  return serviceYaml({ name, port, endpoints: [{ port: workloadPort, labels: { version: "v1" } }] });
}

function routes(name: string, { host, gateways }: EntryPoint, http: readonly object[]): string {
  return objectYaml("VirtualService", name, { hosts: [host], gateways, http });
}

function to(name: string, { port }: EntryPoint, route: string, more: { readonly subset?: string } = {}): object {
  return { name: route, route: [{ destination: { host: hostOf(name), port: { number: port }, ...more } }] };
}

function hostOf(name: string): string {
  return `${name}.shop.svc.cluster.local`;
}

function documents(...texts: readonly string[]): string {
  return texts.join("---\n");
}
