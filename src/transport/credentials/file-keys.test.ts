import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exportJWK, generateKeyPair, jwtVerify, SignJWT } from "jose";
import { describe, expect, onTestFinished, test } from "vitest";
import { FakeClock } from "../../testing/fake-clock.ts";
import { fileKeys } from "./file-keys.ts";

async function keyFile() {
  const folder = mkdtempSync(join(tmpdir(), "binnacle-keys-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "jwks.json");
  const pair = await generateKeyPair("ES256");
  const clock = new FakeClock();
  const errors: string[] = [];
  const watchers = new Set<() => void>();
  const openWatch = (changed: () => void) => {
    watchers.add(changed);
    return { follow: async () => {}, sweep: () => {}, close: () => {} };
  };
  const keys = fileKeys(file, { clock, openWatch, onError: (error) => errors.push(String(error)) });
  onTestFinished(() => keys.stop());
  const write = (text: string) => {
    writeFileSync(file, text);
    for (const changed of watchers) changed();
    clock.advance(100);
  };
  const keySet = async (kid: string) => JSON.stringify({ keys: [{ ...(await exportJWK(pair.publicKey)), kid }] });
  const token = (kid: string) => new SignJWT({}).setProtectedHeader({ alg: "ES256", kid }).sign(pair.privateKey);
  const verify = async (kid: string) => jwtVerify(await token(kid), keys.keyFor);
  return { file, keys, keySet, write, verify, errors };
}

describe("keys in a file", () => {
  test("are read at the start, and again when the file changes", async () => {
    const { keys, keySet, write, verify } = await keyFile();
    write(await keySet("one"));
    await keys.start();
    await verify("one");
    await expect(verify("two")).rejects.toThrow("no applicable key found");
    write(await keySet("two"));
    await keys.idle();
    await verify("two");
    await expect(verify("one")).rejects.toThrow("no applicable key found");
  });

  test("stay in use when the file becomes invalid, and the error names the file", async () => {
    const { file, keys, keySet, write, verify, errors } = await keyFile();
    write(await keySet("one"));
    await keys.start();
    write("{}");
    await keys.idle();
    expect(errors).toEqual([expect.stringContaining(`${file} is no JSON Web Key Set`)]);
    await verify("one");
  });

  test("must be valid at the start", async () => {
    const { file, keys } = await keyFile();
    await expect(keys.start()).rejects.toThrow(file);
  });
});
