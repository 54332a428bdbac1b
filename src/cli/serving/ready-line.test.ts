import { describe, expect, test } from "vitest";
import { readyLine, sayUnenforced } from "./ready-line.ts";

const addresses = {
  xds: "127.0.0.1:1",
  "xds-tls": "off",
  http: "127.0.0.1:2",
  metrics: "off",
  ctrlz: "off",
  webhook: "off",
  mcp: "off",
};

function said(unenforced: Readonly<Record<string, number>>): readonly string[] {
  const lines: string[] = [];
  sayUnenforced({ warnings: 0, errors: 0, unenforced }, { complain: (text) => void lines.push(text) });
  return lines;
}

describe("the line of a ready server", () => {
  test("has the addresses, the objects and the warnings", () => {
    const issues = { warnings: 1, errors: 0, unenforced: {} };
    expect(readyLine({ addresses, listeners: ["xds", "http"], content: "2 services", issues })).toBe(
      "ready: xds 127.0.0.1:1, http 127.0.0.1:2, 2 services, 1 warning",
    );
  });

  test("counts errors if there are any", () => {
    const issues = { warnings: 0, errors: 2, unenforced: {} };
    expect(readyLine({ addresses, listeners: ["xds"], content: "1 service", issues })).toBe(
      "ready: xds 127.0.0.1:1, 1 service, 0 warnings, 2 errors",
    );
  });

  test("counts unenforced objects by kind in one line", () => {
    expect(said({ AuthorizationPolicy: 2, RequestAuthentication: 1 })).toEqual([
      "not enforced: 3 objects that security relies on: AuthorizationPolicy (2), RequestAuthentication (1); " +
        "see /debug/issues, or accept it with --allow-unenforced",
    ]);
    expect(said({ Gateway: 1 })).toEqual([expect.stringMatching(/^not enforced: 1 object that security relies on: /u)]);
  });

  test("omits the count if all objects are enforced", () => {
    expect(said({})).toEqual([]);
  });
});
