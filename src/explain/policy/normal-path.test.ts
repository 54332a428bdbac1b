import { create } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import {
  HttpConnectionManager_PathWithEscapedSlashesAction as EscapedSlashes,
  HttpConnectionManagerSchema,
} from "#gen/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.js";
import { normalPath } from "./normal-path.ts";

function pathOf(path: string, settings: object): unknown {
  const manager = create(HttpConnectionManagerSchema, settings);
  const request = { port: 80, host: "shop", path, method: "GET", headers: {} };
  const normal = normalPath(request, manager);
  if (normal.type === "path") return normal.path;
  return "status" in normal.outcome ? normal.outcome.status : undefined;
}

describe("a path", () => {
  test.each([
    ["/a/../b", "/b"],
    ["/a/./b", "/a/b"],
    ["/a/%2e%2E/b", "/b"],
    ["/a/..", "/"],
    ["/..", "/"],
    ["/a\\b", "/a/b"],
    ["/%61dmin", "/admin"],
    ["/a%2Fb", "/a%2Fb"],
    ["/a//b", "/a//b"],
    ["/a//../b", "/a/b"],
    ["/a?x=/../y", "/a?x=/../y"],
  ])("%s has the normal form %s", (path, normal) => {
    expect(pathOf(path, { normalizePath: true })).toBe(normal);
  });

  test("stays as it is without normalisation", () => {
    expect(pathOf("/a/..//%2fb", {})).toBe("/a/..//%2fb");
  });

  test("loses repeated slashes after it was normalised", () => {
    expect(pathOf("/a/x/..//b", { normalizePath: true, mergeSlashes: true })).toBe("/a/b");
  });

  test.each([
    [EscapedSlashes.KEEP_UNCHANGED, "/a%2Fb"],
    [EscapedSlashes.UNESCAPE_AND_FORWARD, "/a/b"],
    [EscapedSlashes.REJECT_REQUEST, 400],
    [EscapedSlashes.UNESCAPE_AND_REDIRECT, 307],
  ])("with escaped slashes and action %d becomes %s", (pathWithEscapedSlashesAction, result) => {
    expect(pathOf("/a%2Fb", { pathWithEscapedSlashesAction })).toBe(result);
  });

  test("with a zero byte has no normal form", () => {
    expect(pathOf("/a%00", { normalizePath: true })).toBe(400);
  });

  test("with a fragment is rejected", () => {
    expect(pathOf("/a#b", {})).toBe(400);
  });
});
