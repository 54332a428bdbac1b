import { expect, test } from "vitest";
import { debugType } from "../../admin/debug-xds/debug-types.ts";
import type { Proxy } from "../../pilot/model/proxy/proxy.ts";
import { clusterType } from "../../xds/type-urls.ts";
import type { OutOfBandRequest } from "../../xds/xds-server.ts";
import { DebugRequests } from "./debug-requests.ts";

/** Only the identity of a request matters here. */
const request = { typeUrl: debugType } as OutOfBandRequest<Proxy>;

test("debug requests go to the attached answers, and other types are not handled", () => {
  const requests = new DebugRequests();
  const answered: unknown[] = [];
  requests.attachAnswers({ answer: (each) => answered.push(each) });
  requests.answer(request);
  expect(answered).toEqual([request]);
  expect([debugType, clusterType].map((type) => requests.handles(type))).toEqual([true, false]);
});

test("a debug request before the answers are attached, and a second attachment, are bugs", () => {
  const requests = new DebugRequests();
  expect(() => requests.answer(request)).toThrow("debug answers are attached before the first debug request");
  requests.attachAnswers({ answer: () => {} });
  expect(() => requests.attachAnswers({ answer: () => {} })).toThrow("debug answers are attached once");
});
