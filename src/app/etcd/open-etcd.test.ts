import { expect, onTestFinished, test } from "vitest";
import type { etcdLimits } from "../../etcd/etcd-limits.ts";
import type { Limits } from "../../lib/bounded/limit.ts";
import { errorFrom } from "../../lib/errors.ts";
import { HostileEtcd, type HostilePage } from "../../testing/server/hostile-etcd.ts";
import { openMember } from "./open-etcd.ts";

/** All keys of a server that answers with these pages, and the last for ever; or why they cannot be had. */
async function keysOf(
  pages: readonly (HostilePage | undefined)[],
  limits: Partial<Limits<typeof etcdLimits>>,
  { gzip = false } = {},
) {
  const etcd = await HostileEtcd.start({ gzip });
  onTestFinished(() => etcd[Symbol.asyncDispose]());
  etcd.page = (asked) => pages[Math.min(asked, pages.length - 1)];
  const access = { hosts: [etcd.address], tls: undefined, login: undefined };
  using member = openMember(access, etcd.address, "/mesh", limits);
  const keys: string[] = [];
  try {
    for await (const { entries } of member.pages()) for (const { key } of entries) keys.push(key);
    return { keys, asked: etcd.asked };
  } catch (thrown) {
    return { reason: errorFrom(thrown).message, asked: etcd.asked };
  }
}

const large: HostilePage = { keys: ["/mesh/a"], valueBytes: 200_000 };

test("a finite number of pages is the complete content", async () => {
  const pages = [{ keys: ["/mesh/a"], more: true }, { keys: ["/mesh/b"] }];
  expect(await keysOf(pages, {})).toEqual({ keys: ["/mesh/a", "/mesh/b"], asked: 2 });
});

test("a page that is too large is requested in smaller ones, down to a single key", async () => {
  const reason = expect.stringMatching(/^a message of etcd exceeds the limit of 100000 bytes: 2000\d\d came$/u);
  expect(await keysOf([large], { messageBytes: 100_000 })).toEqual({ reason, asked: 4 });
  expect(await keysOf([large, { keys: ["/mesh/a"] }], { messageBytes: 100_000 })).toEqual({
    keys: ["/mesh/a"],
    asked: 2,
  });
});

test("a compressed page is rejected before anything is decompressed", async () => {
  const reason = "compressed messages are not supported";
  expect(await keysOf([large], { messageBytes: 100_000 }, { gzip: true })).toEqual({ reason, asked: 1 });
});

test.each([
  ["brings nothing", { keys: [], more: true }],
  ["goes back", { keys: ["/mesh/a"], more: true }],
])("a page that announces more, and %s, is the last", async (_what, page) => {
  expect(await keysOf([{ keys: ["/mesh/b"], more: true }, page], {})).toEqual({
    reason: "etcd sent a page that does not continue the last one",
    asked: 2,
  });
});

test("a page with more keys than requested is rejected", async () => {
  const reason = "a page of etcd exceeds the limit of 2 keys: 3 came";
  expect(await keysOf([{ keys: ["/mesh/a", "/mesh/b", "/mesh/c"] }], { pageKeys: 2 })).toEqual({ reason, asked: 1 });
});

test("reading stops at more keys than the limit", async () => {
  const pages = Array.from({ length: 9 }, (_, index) => ({ keys: [`/mesh/${index}`], more: true }));
  const reason = "the content of etcd below the prefix exceeds the limit of 5 keys: 6 came";
  expect(await keysOf(pages, { keys: 5 })).toEqual({ reason, asked: 6 });
});

test("a page that never arrives times out", async () => {
  expect(await keysOf([undefined], { callMs: 50 })).toEqual({ reason: "no answer in time", asked: 1 });
});
