import fc from "fast-check";
import { expect, test } from "vitest";
import { runs, seed } from "../../../../testing/random/seed.ts";
import { readProvider } from "./provider-url.ts";

const dubbo = new Set(["dubbo"]);

function read(url: string, schemes = dubbo) {
  return readProvider(encodeURIComponent(url), schemes);
}

test("a provider's node is a percent-encoded URL: an address, a port, parameters", () => {
  const node = "dubbo%3A%2F%2F10.0.0.7%3A20880%2Fcom.acme.Cart%3Fversion%3D1.0.0%26methods%3Dadd%2Cremove%26empty%3D";
  expect(readProvider(node, dubbo)).toEqual({
    type: "provider",
    provider: {
      address: "10.0.0.7",
      port: 20880,
      parameters: new Map([
        ["version", "1.0.0"],
        ["methods", "add,remove"],
        ["empty", ""],
      ]),
    },
  });
});

test.each([
  ["an IPv6 address in brackets", "dubbo://[fd00::7]:20880/x?a=b", "fd00::7"],
  ["a name and a password, which are dropped", "dubbo://me:secret@10.0.0.7:20880/x?a=b", "10.0.0.7"],
  ["no path", "dubbo://10.0.0.7:20880?a=b", "10.0.0.7"],
])("a provider's URL may have %s", (_what, url, address) => {
  expect(read(url)).toMatchObject({ type: "provider", provider: { address, port: 20880 } });
});

test("a value may contain an equals sign", () => {
  const reading = read("dubbo://10.0.0.7:20880/x?dubbo.tag=env=gray");
  expect(reading).toMatchObject({ provider: { parameters: new Map([["dubbo.tag", "env=gray"]]) } });
});

test("providers of other protocols are skipped, unless requested", () => {
  expect(read("tri://10.0.0.7:50051/x?a=b")).toEqual({ type: "foreign" });
  expect(read("tri://10.0.0.7:50051/x?a=b", new Set(["dubbo", "tri"]))).toMatchObject({ type: "provider" });
});

test.each([
  ["dubbo://10.0.0.7:20880/x", "is not of the form"],
  ["dubbo://10.0.0.7/x?a=b", "is not of the form"],
  ["dubbo://10.0.0.7:/x?a=b", "has port , which is not between"],
  ["dubbo://10.0.0.7:0/x?a=b", "has port 0"],
  ["dubbo://10.0.0.7:65536/x?a=b", "has port 65536"],
  ["dubbo://cart.acme.com:20880/x?a=b", 'is at "cart.acme.com", which is not an IP address'],
  ["dubbo://[fd00::7:20880/x?a=b", "is not of the form"],
  ["dubbo://10.0.0.7:20880/x?a=b&pid", 'has the parameter "pid" without a value'],
  ["10.0.0.7:20880", "is no URL"],
])("%s is malformed", (url, problem) => {
  expect(read(url)).toEqual({ type: "malformed", problem: expect.stringContaining(problem) });
});

test("an invalid percent escape is malformed", () => {
  expect(readProvider("dubbo%3A%2F%2F10.0.0.7%zz", dubbo)).toMatchObject({ type: "malformed" });
});

test("no text makes the reader throw", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.array(fc.constantFrom("dubbo://", "10.0.0.7", "[::1]", ":", "1", "/x", "?", "a=b", "&", "%", "=", "@"), {
      maxLength: 12,
    }),
  );
  const property = fc.property(text, (parts) => {
    const node = typeof parts === "string" ? parts : parts.join("");
    expect(["provider", "foreign", "malformed"]).toContain(readProvider(node, dubbo).type);
  });
  fc.assert(property, { seed, numRuns: runs(500) });
});
