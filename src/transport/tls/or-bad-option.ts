import { errorFrom, MeshError } from "../../lib/errors.ts";
import type { ReloadedFiles } from "./reloaded-files.ts";

/** Files that are read between a start and a stop. */
export type StartedFiles = Pick<ReloadedFiles, "start" | "stop">;

/** What is wrong with certificates at the start is wrong with an option; later it is a line in the log. */
export function orBadOption(files: StartedFiles): StartedFiles {
  return {
    start: () =>
      files.start().catch((cause: unknown) => {
        throw new MeshError("bad-option", `certificates cannot be used: ${errorFrom(cause).message}`, { cause });
      }),
    stop: () => files.stop(),
  };
}
