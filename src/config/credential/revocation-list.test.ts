import { expect, test } from "vitest";
import { isRevocationList } from "./revocation-list.ts";

/** An element of DER. */
function der(tag: number, ...parts: readonly (string | Uint8Array)[]): Uint8Array {
  const content = Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part, "hex") : part)));
  const { length } = content;
  return Buffer.concat([Uint8Array.from([tag, ...(length < 0x80 ? [length] : [0x81, length])]), content]);
}

const version = "020101";
const algorithm = der(0x30, "06082a8648ce3d040302");
const issuer = der(0x30, der(0x31, der(0x30, "0603550403", "0c0141")));
const time = der(0x17, Buffer.from("261117105818Z"));
const reason = der(0x30, "0603551d15", "04030a0101");
const keyIdentifier = der(0x30, "0603551d23", der(0x04, der(0x30, "800101")));
const entry = der(0x30, "020107", time, der(0x30, reason));

function listOf(...fields: readonly (string | Uint8Array)[]): Uint8Array {
  return der(0x30, der(0x30, ...fields), algorithm, "03020001");
}

const head = [version, algorithm, issuer, time] as const;
const extensions = (...each: readonly Uint8Array[]) => der(0xa0, der(0x30, ...each));

// `test/e2e/revocation-lists.test.ts` compares many more with a real Envoy.
test.each<[string, Uint8Array]>([
  ["with an entry and an extension", listOf(...head, time, der(0x30, entry), extensions(keyIdentifier))],
  ["without entries", listOf(...head)],
  ["with an empty list of entries", listOf(...head, der(0x30))],
  ["of the first version", listOf(algorithm, issuer, time, der(0x30, der(0x30, "020107", time)))],
  [
    "with an entry whose reason cannot be read",
    listOf(...head, der(0x30, der(0x30, "020107", time, der(0x30, der(0x30, "0603551d15", "0400"))))),
  ],
  ["with bytes after its end", Buffer.concat([listOf(...head), Uint8Array.from([0])])],
])("a list %s is accepted", (_, bytes) => {
  expect(isRevocationList(bytes)).toBe(true);
});

test.each<[string, Uint8Array]>([
  ["that is empty", der(0x30)],
  [
    "with an entry that has an empty list of extensions",
    listOf(...head, der(0x30, der(0x30, "020107", time, der(0x30)))),
  ],
  ["with an empty list of extensions", listOf(...head, extensions())],
  ["of the first version, with an extension", listOf(algorithm, issuer, time, extensions(keyIdentifier))],
  ["of the first version, with an extension of an entry", listOf(algorithm, issuer, time, der(0x30, entry))],
  ["that writes the first version", listOf("020100", algorithm, issuer, time)],
  ["with the same extension twice", listOf(...head, extensions(keyIdentifier, keyIdentifier))],
  ["without a time", listOf(version, algorithm, issuer)],
  ["with a day that does not exist", listOf(version, algorithm, issuer, der(0x17, Buffer.from("260230105818Z")))],
  ["with an issuer without attributes", listOf(version, algorithm, der(0x30, der(0x31)), time)],
  ["with a serial number that is longer than needed", listOf(...head, der(0x30, der(0x30, "02020007", time)))],
  ["with a critical flag of two bytes", listOf(...head, extensions(der(0x30, "0603551d14", "01020101", "0403020101")))],
  ["with a field that is unknown", listOf(...head, "0500")],
  ["with a signature that has too many unused bits", der(0x30, der(0x30, ...head), algorithm, "03020801")],
])("a list %s is refused", (_, bytes) => {
  expect(isRevocationList(bytes)).toBe(false);
});
