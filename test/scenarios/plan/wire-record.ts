import { fromBinary } from "@bufbuild/protobuf";
import { AnySchema } from "@bufbuild/protobuf/wkt";
import { ResourceSchema } from "#gen/envoy/service/discovery/v3/discovery_pb.js";
import type { EnvoyModel } from "../../../src/testing/envoy/envoy-model.ts";
import { readEnvoyResource } from "../../../src/testing/envoy/envoy-resources.ts";
import { scanFields } from "../../../src/xds/wire/wire-format.ts";

/** Everything of one type that arrived at a client, and what it holds differently now. */
export interface RecordedType {
  responses: number;
  resources: number;
  bytes: number;
  readonly changes: string[];
}

interface Held {
  readonly version: string;
}

type RecordedClient = Pick<EnvoyModel, "mode" | "stream"> & {
  readonly held: ReadonlyMap<string, ReadonlyMap<string, Held>>;
};

/** Reads the bytes that a client receives. It knows the wire format, and nothing of the code that wrote the bytes. */
export class WireRecord {
  readonly #envoy: RecordedClient;
  #read = 0;
  #held: ReadonlyMap<string, ReadonlyMap<string, Held>> = new Map();
  /** The bytes of the newest entry of each resource. */
  readonly #bytes = new Map<string, number>();

  constructor(envoy: RecordedClient) {
    this.#envoy = envoy;
  }

  /** Everything since the last call, by type URL, as sorted lines. */
  take(): readonly string[] {
    const types = new Map<string, RecordedType>();
    const typeOf = (typeUrl: string) => {
      const known = types.get(typeUrl) ?? { responses: 0, resources: 0, bytes: 0, changes: [] };
      types.set(typeUrl, known);
      return known;
    };
    const received = this.#envoy.stream?.received ?? [];
    for (const bytes of received.slice(this.#read)) this.#note(bytes, typeOf);
    this.#read = received.length;
    const held = new Map(Array.from(this.#envoy.held, ([typeUrl, all]) => [typeUrl, new Map(all)]));
    for (const [typeUrl, all] of held) {
      for (const line of this.#changes(typeUrl, all)) typeOf(typeUrl).changes.push(line);
    }
    this.#held = held;
    return linesOf(types);
  }

  #note(bytes: Uint8Array, typeOf: (typeUrl: string) => RecordedType): void {
    const entries: { readonly body: Uint8Array; readonly length: number }[] = [];
    let [typeUrl, nonce] = ["", ""];
    scanFields(bytes, (field, start, end, tagStart) => {
      if (field === 2) entries.push({ body: bytes.slice(start, end), length: end - tagStart });
      if (field === 4) typeUrl = Buffer.from(bytes.subarray(start, end)).toString();
      if (field === 5) nonce = Buffer.from(bytes.subarray(start, end)).toString();
    });
    const type = typeOf(typeUrl);
    type.responses += 1;
    type.resources += entries.length;
    type.bytes += bytes.length - nonce.length;
    for (const { body, length } of entries) this.#bytes.set(`${typeUrl} ${this.#nameIn(typeUrl, body)}`, length);
  }

  #nameIn(typeUrl: string, body: Uint8Array): string {
    if (this.#envoy.mode === "delta") return fromBinary(ResourceSchema, body).name;
    return readEnvoyResource(typeUrl, fromBinary(AnySchema, body).value).name;
  }

  *#changes(typeUrl: string, after: ReadonlyMap<string, Held>): Iterable<string> {
    const before = this.#held.get(typeUrl) ?? new Map<string, Held>();
    for (const [name, { version }] of after) {
      const was = before.get(name)?.version;
      if (was === version) continue;
      yield `${was === undefined ? "added" : "changed"} ${name} ${this.#bytes.get(`${typeUrl} ${name}`)}`;
    }
    for (const name of before.keys()) if (!after.has(name)) yield `removed ${name} 0`;
  }
}

/** In the form in which a test compares them. */
export function linesOf(
  types: ReadonlyMap<string, Omit<RecordedType, "changes"> & { readonly changes: readonly string[] }>,
) {
  return [...types]
    .filter(([, { responses, changes }]) => responses > 0 || changes.length > 0)
    .flatMap(([typeUrl, { responses, resources, bytes, changes }]) => [
      `${typeUrl}: ${responses} responses, ${resources} resources, ${bytes} bytes`,
      ...changes.map((change) => `${typeUrl}: ${change}`),
    ])
    .toSorted();
}
