import { expect, test } from "vitest";
import { EventLines } from "./event-lines.ts";

test("events are found however the stream is cut", () => {
  const text =
    'retry: 2000\n\nid: a-1\nevent: proxies\ndata: {"type":"proxies"}\n\n: still here\n\nevent: reset\ndata: {}\n\n';
  for (let size = 1; size <= text.length; size++) {
    const lines = new EventLines();
    const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, at) =>
      text.slice(at * size, (at + 1) * size),
    );
    expect(pieces.flatMap((piece) => lines.take(piece))).toEqual(["proxies", "reset"]);
  }
});

test("an endless line is not kept", () => {
  const lines = new EventLines();
  for (let count = 0; count < 1_000; count++) expect(lines.take("x".repeat(10_000))).toEqual([]);
  expect(lines.take("\nevent: changes\n")).toEqual(["changes"]);
});
