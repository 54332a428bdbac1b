import type { Config } from "../../../config.ts";

/**
 * A reference of an object to another, and the path of its field. Pilot checks the references of the objects that it
 * serves itself (`pilot/model/traffic/dangling-references.ts`). It has the whole mesh, but no fields to point at.
 */
export interface Reference {
  readonly config: Config;
  readonly reference: string;
  readonly path: string;
}
