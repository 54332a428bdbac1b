import { createPrivateKey } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import type { Authority, Roots } from "../../ca/roots.ts";
import { madeIntermediate, madeRoot } from "../../testing/ca/made-authority.ts";
import { rootsInSecret, secretOfRoots } from "./root-secret.ts";

let old: Authority;
let next: Authority;
let intermediate: Authority;
let lowest: Authority;

beforeAll(async () => {
  old = await madeRoot("old");
  next = await madeRoot("next");
  intermediate = await madeIntermediate("intermediate", old);
  lowest = await madeIntermediate("lowest", intermediate);
});

function open(authority: Authority | undefined) {
  return authority && { ...authority, key: authority.key.reveal() };
}

/** The content with keys. */
function revealed(roots: Roots | undefined) {
  return roots && { ...roots, signing: open(roots.signing), next: open(roots.next) };
}

describe("the Secret of the authority", () => {
  test("keeps the roots of every phase", () => {
    const steady: Roots = { phase: "steady", phaseSince: 12, longestTtlMs: 24, signing: old, trusted: [old.root] };
    const distribute: Roots = { ...steady, phase: "distribute", next, trusted: [old.root, next.root] };
    const sign: Roots = {
      phase: "sign",
      phaseSince: 13,
      longestTtlMs: 24,
      awaitedTtlMs: 48,
      signing: next,
      trusted: [old.root, next.root],
    };
    const below: Roots = { phase: "steady", phaseSince: 14, signing: lowest, trusted: [old.root] };
    for (const roots of [steady, distribute, sign, below]) {
      expect(revealed(rootsInSecret(secretOfRoots(roots)))).toEqual(revealed(roots));
    }
  });

  test("may be one of istiod, with a key of another form and without a rotation", () => {
    const key = createPrivateKey(old.key.reveal()).export({ type: "sec1", format: "pem" }).toString();
    const empty = [
      ["cert-chain.pem", ""],
      ["key.pem", ""],
    ] as const;
    const texts = new Map([...empty, ["ca-cert.pem", old.certificate], ["ca-key.pem", key], ["root-cert.pem", ""]]);
    const expected: Roots = { phase: "steady", phaseSince: 0, signing: old, trusted: [old.root] };
    expect(revealed(rootsInSecret(texts))).toEqual(revealed(expected));
  });

  test("may be cacerts, whose chain repeats the certificate and the root", () => {
    const texts = new Map([
      ["ca-cert.pem", lowest.certificate],
      ["ca-key.pem", lowest.key.reveal()],
      ["cert-chain.pem", `${lowest.certificate}${intermediate.certificate}${old.root}`],
      ["root-cert.pem", `${next.root}${old.root}`],
    ]);
    const expected: Roots = { phase: "steady", phaseSince: 0, signing: lowest, trusted: [next.root, old.root] };
    expect(revealed(rootsInSecret(texts))).toEqual(revealed(expected));
  });

  test("holds no roots before a server writes them", () => {
    expect(rootsInSecret(new Map())).toBeUndefined();
  });

  test.each([
    ["ca-cert.pem", "nothing", "ca-cert.pem has no certificate in PEM"],
    [
      "ca-cert.pem",
      "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----",
      "ca-cert.pem has a certificate that",
    ],
    ["ca-key.pem", "secret text", "ca-key.pem has no private key in PEM"],
    ["rotation.json", '{"phase":"later","phaseSince":1}', "rotation.json is not one that we wrote"],
  ])("with a broken %s is refused by the name of the field", (field, text, message) => {
    const texts = new Map([
      ...secretOfRoots({ phase: "steady", phaseSince: 1, signing: old, trusted: [] }),
      [field, text],
    ]);
    expect(() => rootsInSecret(texts)).toThrow(message);
    expect(() => rootsInSecret(texts)).not.toThrow("secret text");
  });
});
