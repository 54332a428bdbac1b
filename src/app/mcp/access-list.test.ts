import { expect, test } from "vitest";
import { admits, parseAccessList } from "./access-list.ts";

const pilot = "spiffe://cluster.local/ns/istio-system/sa/istio-pilot-service-account";
const mixer = "spiffe://cluster.local/ns/istio-system/sa/istio-mixer-service-account";

test.each([
  ["allow", [pilot], [pilot], true],
  ["allow", [pilot], ["pilot.example", pilot], true],
  ["allow", [pilot], [mixer], false],
  ["allow", [pilot], [`${pilot}x`], false],
  ["allow", [pilot], [], false],
  ["allow", [], [pilot], false],
  ["deny", [mixer], [pilot], true],
  ["deny", [mixer], [mixer], false],
  ["deny", [mixer], [pilot, mixer], false],
  ["deny", [], [pilot], true],
] as const)("a list in mode %s with %j allows %j: %s", (mode, names, client, admitted) => {
  expect(admits({ mode, names: new Set(names) }, client)).toBe(admitted);
});

test.each([
  [`allowed: [${pilot}]`, { mode: "allow", names: new Set([pilot]) }],
  [`IsBlackList: true\nAllowed:\n- ${mixer}\n`, { mode: "deny", names: new Set([mixer]) }],
  ["isblacklist: false", { mode: "allow", names: new Set() }],
])("%j is read", (text, list) => {
  expect(parseAccessList("list.yaml", text)).toEqual(list);
});

test.each([
  ["", "expected a list such as"],
  ["- a", "expected a list such as"],
  ["allowed: [", "list.yaml: "],
  ["allowed: pilot", "allowed must be a list of names"],
  ["allowed: [1]", "allowed must be a list of names"],
  ["isblacklist: yes please", "isblacklist must be true or false"],
  ["denied: []", "denied is unknown; the fields are allowed and isblacklist"],
])("%j is refused", (text, problem) => {
  expect(() => parseAccessList("list.yaml", text)).toThrow(problem);
});
