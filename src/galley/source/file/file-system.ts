import { statfsSync } from "node:fs";
import { codeOf, errorFrom } from "../../../lib/errors.ts";

/**
 * File systems that other machines may change without a kernel notification, by their Linux magic numbers (`man 2
 * statfs`).
 */
const remoteFileSystems: ReadonlyMap<number, string> = new Map([
  [0x6969, "NFS"],
  [0x517b, "SMB"],
  [0xfe534d42, "SMB2"],
  [0xff534d42, "CIFS"],
  [0x65735546, "FUSE"],
  [0x01021997, "9P"],
  [0x00c36400, "Ceph"],
  [0x5346414f, "AFS"],
  [0x0bd00bd0, "Lustre"],
  [0x786f4256, "VirtualBox"],
]);

/** Whether the system reports every change in a directory. On systems other than Linux this is assumed. */
export function notifies(directory: string): boolean {
  return process.platform !== "linux" || isLocalFileSystem(statfsSync(directory).type);
}

/** Compares the type from `statfs`, which some platforms sign-extend. */
export function isLocalFileSystem(type: number): boolean {
  return !remoteFileSystems.has(type >>> 0);
}

/** The reason for a read failure, in plainer words than the system's. */
export function whyUnreadable(thrown: unknown, what: "file" | "directory" | "file or directory"): string {
  switch (codeOf(thrown) ?? "") {
    case "ENOENT":
      return `there is no such ${what}`;
    case "ENOTDIR":
      return what === "directory" ? "it is not a directory" : `there is no such ${what}`;
    case "EACCES":
      return "this process has no permission to read it";
    default:
      return errorFrom(thrown).message;
  }
}

/** The system cannot read now, and may be able to later although no file changes. */
const passing: ReadonlySet<string> = new Set([
  "EMFILE",
  "ENFILE",
  "ENOMEM",
  "EIO",
  "EAGAIN",
  "EBUSY",
  "ESTALE",
  "ETIMEDOUT",
]);

/** Whether a read failure may end without a change of files, so that nothing would report its end. */
export function mayPass(thrown: unknown): boolean {
  const cause = thrown instanceof Error && thrown.cause !== undefined ? thrown.cause : thrown;
  return passing.has(codeOf(cause) ?? "");
}
