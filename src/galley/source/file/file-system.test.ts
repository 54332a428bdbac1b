import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { isLocalFileSystem, notifies } from "./file-system.ts";

test("a local directory reports changes", () => {
  expect(notifies(tmpdir())).toBe(true);
});

test.each([
  ["ext4", 0xef53, true],
  ["tmpfs", 0x01021994, true],
  ["NFS", 0x6969, false],
  ["FUSE", 0x65735546, false],
  ["CIFS", 0xff534d42, false],
  ["CIFS, with a sign", 0xff534d42 | 0, false],
])("on %s the magic number decides whether other machines may change files", (_, type, local) => {
  expect(isLocalFileSystem(type)).toBe(local);
});
