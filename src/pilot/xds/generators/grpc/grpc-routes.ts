import type { Labels } from "../../../../config/config.ts";
import { meshGateway } from "../../../../config/grammar/gateway-reference.ts";
import type { ProtoWriter } from "../../../../lib/proto-writer/proto-writer.ts";
import { locationOf } from "../../../model/location/proxy-location.ts";
import type { MeshSettings } from "../../../model/mesh-settings.ts";
import { type AddressFamilies, familiesOf } from "../../../model/proxy/address-families.ts";
import type { Resource } from "../../../model/resource.ts";
import type { SidecarScope } from "../../../model/scope/sidecar-scope.ts";
import { sidecarScopeFor } from "../../../model/scope/sidecar-scope-for.ts";
import { type HashLookup, hashLookupFor } from "../../../model/traffic/applied-hash.ts";
import { labelledVirtualServicesFor } from "../../../model/traffic/virtual-services-for.ts";
import { clusterName, parseClusterName } from "../../../networking/cluster/cluster-name.ts";
import { buildGrpcRoutes, emptyGrpcRoutes } from "../../../networking/grpc/build-grpc-routes.ts";
import { routingFor } from "../../../networking/grpc/routing-for.ts";
import { sourceLabelsOf } from "../../../networking/route/sidecar/source-labels.ts";
import { allBut, type PartFamily } from "../../generator.ts";
import { sidecarDependencies } from "../dependencies.ts";
import { type ImportedPort, importedPort, importedPorts } from "./imported-port.ts";
import { type NamesPart, namesParts } from "./names-part.ts";

/** Routes also depend on the client's DNS domain, and on its labels that routes match on. */
interface RoutePart extends NamesPart {
  readonly labels: Labels;
  /** The labels that rules select by. */
  readonly selected: Labels;
  readonly dnsDomain: string;
  readonly families: AddressFamilies;
}

/** RDS for proxyless clients: the routes of each port of a service that they call. */
export function grpcRoutes(writer: ProtoWriter): PartFamily<RoutePart> {
  return {
    name: "grpc",
    parts: (proxy, push, asked) => {
      const { namespace, dnsDomain } = proxy;
      const families = familiesOf(proxy.ipAddresses);
      const labels = sourceLabelsOf(proxy.labels, labelledVirtualServicesFor(meshGateway, namespace, push));
      const { selected } = locationOf(proxy, push, "clusters");
      const parts = namesParts(proxy, push, asked);
      return parts.map((part) => ({ ...part, labels, selected, dnsDomain, families }));
    },
    concerns: allBut("Endpoints", "Instance", "Gateway", "PeerAuthentication"),
    dependencies: ({ ref }, push) => sidecarDependencies(ref, push),
    generate: ({ inputs, push }) => {
      const scope = sidecarScopeFor(inputs.ref, push);
      const hashes = hashLookupFor(scope, inputs.selected, push);
      const resources = portsAsked(inputs, scope).map(([name, imported]) =>
        imported === undefined
          ? emptyGrpcRoutes(name, writer)
          : routesOf(imported, { part: inputs, scope, mesh: push.mesh, hashes }, writer),
      );
      return { covers: inputs.names, resources };
    },
  };
}

/** A route configuration has the name of its default cluster. */
function portsAsked(
  { names }: RoutePart,
  scope: SidecarScope,
): readonly (readonly [name: string, imported: ImportedPort | undefined])[] {
  if (names !== "all") return Array.from(names, (name) => [name, portNamed(name, scope)]);
  return importedPorts(scope).map((imported) => [
    clusterName(imported.port.number, "", imported.service.hostname),
    imported,
  ]);
}

function portNamed(name: string, scope: SidecarScope): ImportedPort | undefined {
  const meant = parseClusterName(name);
  return meant?.subset === "" ? importedPort(meant.hostname, meant.port, scope) : undefined;
}

interface Context {
  readonly part: RoutePart;
  readonly scope: SidecarScope;
  readonly mesh: MeshSettings;
  readonly hashes: HashLookup;
}

function routesOf(
  { service, port, egress }: ImportedPort,
  { part: { labels, dnsDomain, families }, scope, mesh, hashes }: Context,
  writer: ProtoWriter,
): Resource {
  const context = { port: port.number, gateway: meshGateway, labels, namespace: scope.namespace };
  const routing = routingFor(service.hostname, egress.virtualServices, context);
  return buildGrpcRoutes({ service, port, dnsDomain, families, routing, mesh, hashes }, writer);
}
