import { cutText } from "../../lib/cut-text.ts";
import type { Terminal } from "../command.ts";
import { withProgress } from "../text/progress.ts";

/** Characters: a status is one line. */
const maxShown = 50;

/** Shows on a terminal that a server takes its time to answer. */
export async function withServerProgress<T>(server: string, terminal: Terminal, ask: () => Promise<T>): Promise<T> {
  return await withProgress(terminal, `asking ${cutText(server, maxShown)}`, ask);
}
