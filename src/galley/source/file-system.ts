import { statfsSync } from "node:fs";

/**
 * File systems whose contents may change without the kernel hearing of it, because others write to them: by the
 * magic numbers of Linux (`man 2 statfs`).
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

/** Whether the system tells of every change in a directory. Elsewhere than on Linux we have to believe it. */
export function notifies(directory: string): boolean {
  return process.platform !== "linux" || isLocal(statfsSync(directory).type);
}

/** By the type that `statfs` gives, which some platforms sign-extend. */
export function isLocal(type: number): boolean {
  return !remoteFileSystems.has(type >>> 0);
}

/** The code of what a system call throws, as in `ENOENT`. */
export function errorCode(thrown: unknown): string | undefined {
  return thrown instanceof Error && "code" in thrown && typeof thrown.code === "string" ? thrown.code : undefined;
}
