import { errorFrom, MeshError } from "../../lib/errors.ts";
import type { ReloadedFiles } from "./reloaded-files.ts";

/** Files that are watched between start and stop. */
export type StartedFiles = Pick<ReloadedFiles, "start" | "stop">;

/** A certificate error at the start becomes a `bad-option` error. Later it is only a log line. */
export function orBadOption(files: StartedFiles): StartedFiles {
  return {
    start: () =>
      files.start().catch((cause: unknown) => {
        throw new MeshError("bad-option", `certificates cannot be used: ${errorFrom(cause).message}`, { cause });
      }),
    stop: () => files.stop(),
  };
}
