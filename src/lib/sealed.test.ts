import { inspect } from "node:util";
import { expect, test } from "vitest";
import { Sealed } from "./sealed.ts";

test("a sealed value is shown by no way of printing it, and revealed on demand", () => {
  const sealed = new Sealed({ key: "hunter2" });
  const shown = [
    JSON.stringify({ sealed }),
    String(sealed),
    inspect({ sealed }, { showHidden: true, depth: 9 }),
    inspect(structuredClone(Object.assign({}, sealed))),
    Object.entries(sealed).join(),
  ];
  expect(shown.join("\n")).not.toContain("hunter2");
  expect(sealed.reveal()).toEqual({ key: "hunter2" });
});
