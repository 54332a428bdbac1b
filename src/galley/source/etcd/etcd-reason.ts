import { errorFrom } from "../../../lib/errors.ts";

/** What went wrong with a call, in the words that matter: the library puts codes and its own notes around them. */
export function etcdReason(thrown: unknown): string {
  return errorFrom(thrown)
    .message.replace(/^\d+ [A-Z_]+: /u, "")
    .replace(/^Deadline exceeded.*$/su, "no answer in time")
    .replace(/^No connection established\. Last error: (?:Error: )?/u, "")
    .replace(/\.? Resolution note:.*$/su, "");
}
