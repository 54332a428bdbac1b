import { overLimit } from "../../../lib/bounded/limit.ts";
import { errorFrom, MeshError } from "../../../lib/errors.ts";

/** How the library says that a message, or what it decompresses to, is larger than it may be. */
const tooLarge = /Received message larger than max \((?<came>\d+) vs\.? (?<most>\d+)\)/u;
const inflated = /Received message that decompresses to a size larger than (?<most>\d+)/u;

/** The same error; one that says that a message was too large is a `limit-exceeded`. */
export function etcdError(thrown: unknown): Error {
  const error = errorFrom(thrown);
  const { most = "", came = `more than ${most}` } =
    (tooLarge.exec(error.message) ?? inflated.exec(error.message))?.groups ?? {};
  return most === "" ? error : overLimit("a message of etcd", Number(most), "bytes", came);
}

export function isOverLimit(thrown: unknown): boolean {
  return thrown instanceof MeshError && thrown.code === "limit-exceeded";
}

/** What went wrong with a call, in the words that matter: the library puts codes and its own notes around them. */
export function etcdReason(thrown: unknown): string {
  return etcdError(thrown)
    .message.replace(/^\d+ [A-Z_]+: /u, "")
    .replace(/^Deadline exceeded.*$/su, "no answer in time")
    .replace(/^No connection established\. Last error: (?:Error: )?/u, "")
    .replace(/\.? Resolution note:.*$/su, "");
}
