import type { DocumentedFlag } from "../command.ts";
import { switchFlag } from "../flags/flag.ts";

/** `-w`, as in kubectl. */
export const watchFlag: DocumentedFlag = {
  ...switchFlag(
    "watch",
    "Prints the current state, then each change, until it is interrupted. JSON has one document per line. The exit " +
      "code is that of the last state.",
  ),
  short: "w",
};
