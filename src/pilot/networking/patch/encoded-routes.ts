import { create, fromBinary } from "@bufbuild/protobuf";
import { type VirtualHost, VirtualHostSchema } from "#gen/envoy/config/route/v3/route_components_pb.js";
import { type RouteConfiguration, RouteConfigurationSchema } from "#gen/envoy/config/route/v3/route_pb.js";
import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import { scanFields } from "../../../xds/wire/wire-format.ts";
import { routeProblems } from "./check/structure.ts";
import { violationsIn } from "./check/violations.ts";
import type { PatchProblem } from "./patch-run.ts";

/** The field of RouteConfiguration. */
const virtualHostsField = 2;
/** Fields of VirtualHost. */
const hostField = { name: 1, domains: 2 } as const;

/** The facts by which patches name a virtual host. */
export type HostFacts = Pick<VirtualHost, "name" | "domains">;

/**
 * An encoded route configuration that patches change. There may be thousands of virtual hosts, and mostly patches name
 * few of them. The others stay encoded: in the message they have only their name and their domains. They are not checked,
 * because no patch changes them.
 */
export class EncodedRoutes {
  readonly #frame: Uint8Array;
  readonly #hosts: readonly (VirtualHost | Uint8Array)[];
  readonly #closed = new Map<object, Uint8Array>();

  /** `isNamed` tells whether a patch may change a virtual host. */
  constructor(bytes: Uint8Array, isNamed: (host: HostFacts) => boolean) {
    const { frame, hosts } = split(bytes);
    this.#frame = frame;
    this.#hosts = hosts.map((host) => {
      const facts = factsOf(host);
      if (isNamed(facts)) return host;
      const stand = create(VirtualHostSchema, facts);
      this.#closed.set(stand, host);
      return stand;
    });
  }

  /** The encoded virtual hosts, by the messages that stand for them. */
  get closed(): ReadonlyMap<object, Uint8Array> {
    return this.#closed;
  }

  /** A message of its own for each application of patches. Only virtual hosts without patches are shared. */
  open(): RouteConfiguration {
    const message = fromBinary(RouteConfigurationSchema, this.#frame);
    message.virtualHosts = this.#hosts.map((host) =>
      host instanceof Uint8Array ? fromBinary(VirtualHostSchema, host) : host,
    );
    return message;
  }

  problemsIn(message: RouteConfiguration): readonly PatchProblem[] {
    return [...routeProblems(message), ...violationsIn(RouteConfigurationSchema, message, this.#closed)];
  }

  /** The Any of the message. */
  encode(message: RouteConfiguration, writer: ProtoWriter): Uint8Array {
    const virtualHosts = message.virtualHosts.map((host) => this.#closed.get(host) ?? host);
    return writer.any(RouteConfigurationSchema, { ...message, virtualHosts });
  }
}

/** The virtual hosts of a route configuration, and everything else. */
function split(bytes: Uint8Array): { readonly frame: Uint8Array; readonly hosts: readonly Uint8Array[] } {
  const hosts: Uint8Array[] = [];
  const rest: Uint8Array[] = [];
  let from = 0;
  scanFields(bytes, (field, start, end, tagStart) => {
    if (field !== virtualHostsField) return;
    hosts.push(bytes.subarray(start, end));
    rest.push(bytes.subarray(from, tagStart));
    from = end;
  });
  return { frame: Buffer.concat([...rest, bytes.subarray(from)]), hosts };
}

function factsOf(host: Uint8Array): HostFacts {
  let name = "";
  const domains: string[] = [];
  const bytes = Buffer.from(host.buffer, host.byteOffset, host.byteLength);
  scanFields(bytes, (field, start, end) => {
    if (field === hostField.name) name = bytes.toString("utf8", start, end);
    if (field === hostField.domains) domains.push(bytes.toString("utf8", start, end));
  });
  return { name, domains };
}
