import { textLength, WireWriter } from "../../src/xds/wire/wire.ts";
import type { PlainResource, Snapshot } from "../../src/xds.ts";

/** What the harness wants a node to be served: resources by type and name, and a version per type. */
export class NodeState {
  readonly #resources = new Map<string, PlainResource>();
  readonly #versions = new Map<string, string>();

  /** Adds the resource, or gives it a new version; its type has that version from now on. */
  put(typeUrl: string, name: string, version: string, value: Uint8Array = named(name)): void {
    this.#resources.set(`${typeUrl} ${name}`, { typeUrl, name, value, version });
    this.#versions.set(typeUrl, version);
  }

  remove(typeUrl: string, name: string, version: string): void {
    this.#resources.delete(`${typeUrl} ${name}`);
    if (version !== "") this.#versions.set(typeUrl, version);
  }

  get snapshot(): Snapshot {
    return { resources: [...this.#resources.values()], version: new Map(this.#versions) };
  }
}

/** The types of Envoy all have their name in field 1; the harness looks at nothing else. */
function named(name: string): Uint8Array {
  return new WireWriter(textLength(name)).text(1, name).bytes;
}
