import { create, toBinary } from "@bufbuild/protobuf";
import { ApiVersion } from "#gen/envoy/config/core/v3/config_source_pb.js";
import { RouteConfigurationSchema } from "#gen/envoy/config/route/v3/route_pb.js";
import { anyIn } from "../wire/entry.ts";
import { scanFields, textLength, varintLength, WireWriter } from "../wire/wire-format.ts";

/** Fields of RouteConfiguration. */
const routesField = { name: 1, virtualHosts: 2, vhds: 9 } as const;
/** Fields of VirtualHost. */
const hostField = { name: 1, domains: 2 } as const;
/** The field of the message in an Any. */
const anyValue = 2;

/** The field `vhds`: Envoy asks for virtual hosts on its ADS stream, and waits for them without a limit. */
const vhdsBytes: Uint8Array = toBinary(
  RouteConfigurationSchema,
  create(RouteConfigurationSchema, {
    vhds: {
      configSource: {
        configSourceSpecifier: { case: "ads", value: {} },
        initialFetchTimeout: {},
        resourceApiVersion: ApiVersion.V3,
      },
    },
  }),
);

/** One virtual host, as bytes of its route configuration. */
export interface HostBytes {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** The host takes the requests that no other host takes: one of its domains is `*`. */
  readonly isCatchAll: boolean;
}

/** The message in the entry of a resource. */
export function messageIn(entry: Uint8Array): Uint8Array {
  return fieldOf(anyIn(entry), anyValue) ?? new Uint8Array();
}

/** The virtual hosts of an encoded route configuration, in order. */
export function hostsIn(routes: Uint8Array): readonly HostBytes[] {
  const hosts: HostBytes[] = [];
  scanFields(routes, (field, start, end) => {
    if (field === routesField.virtualHosts) hosts.push(readHost(routes.subarray(start, end)));
  });
  return hosts;
}

/** Whether the route configuration gets virtual hosts from elsewhere. */
export function hasVhds(routes: Uint8Array): boolean {
  return fieldOf(routes, routesField.vhds) !== undefined;
}

/** The route configuration with only these of its hosts. Envoy gets the others over VHDS. */
export function shellOf(routes: Uint8Array, inline: readonly HostBytes[]): Uint8Array {
  return Buffer.concat([
    without(routes, routesField.virtualHosts),
    ...inline.map(({ bytes }) => hostEntry(bytes)),
    vhdsBytes,
  ]);
}

/** The reverse of {@link shellOf}: the route configuration with these hosts alone, in the order of a fresh encoding. */
export function wholeOf(shell: Uint8Array, hosts: readonly Uint8Array[]): Uint8Array {
  const rest = without(without(shell, routesField.virtualHosts), routesField.vhds);
  let afterName = 0;
  scanFields(rest, (field, _start, end) => {
    if (field === routesField.name) afterName = end;
  });
  return Buffer.concat([rest.subarray(0, afterName), ...hosts.map(hostEntry), rest.subarray(afterName)]);
}

/** The same virtual host under another name. */
export function renamedHost(host: Uint8Array, name: string): Uint8Array {
  const head = new WireWriter(textLength(name)).text(hostField.name, name);
  return Buffer.concat([head.bytes, without(host, hostField.name)]);
}

function hostEntry(host: Uint8Array): Uint8Array {
  const length = host.length;
  const head = new WireWriter(1 + varintLength(length)).header(routesField.virtualHosts, length);
  return Buffer.concat([head.bytes, host]);
}

function readHost(bytes: Uint8Array): HostBytes {
  let name = "";
  let isCatchAll = false;
  scanFields(bytes, (field, start, end) => {
    if (field === hostField.name) name = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString();
    if (field === hostField.domains && end - start === 1 && bytes[start] === asterisk) isCatchAll = true;
  });
  return { name, bytes, isCatchAll };
}

const asterisk = 0x2a;

function fieldOf(message: Uint8Array, wanted: number): Uint8Array | undefined {
  let found: Uint8Array | undefined;
  scanFields(message, (field, start, end) => {
    if (field === wanted) found = message.subarray(start, end);
  });
  return found;
}

/** The message without a length-delimited field. */
function without(message: Uint8Array, unwanted: number): Uint8Array {
  const kept: Uint8Array[] = [];
  let from = 0;
  scanFields(message, (field, _start, end, tagStart) => {
    if (field !== unwanted) return;
    kept.push(message.subarray(from, tagStart));
    from = end;
  });
  return Buffer.concat([...kept, message.subarray(from)]);
}
