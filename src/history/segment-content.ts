import type { Config } from "../config/config.ts";
import { encodeLine } from "./log-line.ts";
import { loggedObject, objectIdOf } from "./logged-object.ts";

/** The contents of objects in one segment. Each is written once. */
export class SegmentContent {
  readonly #written = new Set<string>();

  /** The id of the content, and its record; empty if the segment has the record. */
  add(config: Config, collection: string): { readonly id: string; readonly record: string } {
    const json = JSON.stringify(loggedObject(config, collection));
    const id = objectIdOf(json);
    if (this.#written.has(id)) return { id, record: "" };
    this.#written.add(id);
    return { id, record: encodeLine("object", `${id} ${json}`) };
  }
}
