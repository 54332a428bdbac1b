import type { Config } from "../../../config.ts";

/** What an object refers to, and where it says so. */
export interface Reference {
  readonly config: Config;
  readonly reference: string;
  readonly path: string;
}
