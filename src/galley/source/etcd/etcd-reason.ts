import { overLimit } from "../../../lib/bounded/limit.ts";
import { errorFrom, MeshError } from "../../../lib/errors.ts";

/** The library's error text for a message that is too large, before or after decompression. */
const tooLarge = /Received message larger than max \((?<came>\d+) vs\.? (?<most>\d+)\)/u;
const inflated = /Received message that decompresses to a size larger than (?<most>\d+)/u;

/** Returns the same error. A message over the size limit becomes a `limit-exceeded` error. */
export function etcdError(thrown: unknown): Error {
  const error = errorFrom(thrown);
  const { most = "", came = `more than ${most}` } =
    (tooLarge.exec(error.message) ?? inflated.exec(error.message))?.groups ?? {};
  return most === "" ? error : overLimit("a message of etcd", Number(most), "bytes", came);
}

export function isOverLimit(thrown: unknown): boolean {
  return thrown instanceof MeshError && thrown.code === "limit-exceeded";
}

/** Whether the store has compacted the requested revision, or has not reached it. */
export function isUnknownRevision(thrown: unknown): boolean {
  return /required revision (?:has been compacted|is a future revision)/u.test(errorFrom(thrown).message);
}

/** The reason of a failed call without the codes and notes that the library adds. */
export function etcdReason(thrown: unknown): string {
  return etcdError(thrown)
    .message.replace(/^\d+ [A-Z_]+: /u, "")
    .replace(/^Deadline exceeded.*$/su, "no answer in time")
    .replace(/^No connection established\. Last error: (?:Error: )?/u, "")
    .replace(/\.? Resolution note:.*$/su, "");
}
