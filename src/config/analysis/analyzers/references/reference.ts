import type { Config } from "../../../config.ts";

/**
 * What an object refers to, and where it says so. Of what Pilot serves it asks itself whether references lead somewhere
 * (`pilot/model/traffic/dangling-references.ts`): it has the whole mesh, and no fields to point at.
 */
export interface Reference {
  readonly config: Config;
  readonly reference: string;
  readonly path: string;
}
