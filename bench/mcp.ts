import { benchTable } from "./bench-table.ts";
import { measuredApart } from "./measured-apart.ts";

/** The figures of one run. */
export interface McpFigures {
  /** Bytes of one change, over all sinks. */
  readonly bytes: number;
  /** CPU time of one change in milliseconds, from the snapshot to the last acknowledgement. */
  readonly changeMs: number;
  /** Envelopes encoded for one change. */
  readonly encodings: number;
  /** CPU time in milliseconds until all sinks have everything for the first time, and envelopes encoded for that. */
  readonly firstMs: number;
  readonly firstEncodings: number;
}

const objects = 10_000;
const cases = [1, 50].flatMap((sinks) => (["full", "delta"] as const).map((mode) => ({ sinks, mode })));

/**
 * A source over memory streams: one object of ten thousand changes. Each sink costs bytes, and hardly anything else.
 */
export function mcp(): string {
  return benchTable(
    ["sinks", "mode", "first sync", "encodings", "one change", "encodings", "bytes per sink"],
    cases.map(({ sinks, mode }) => row(sinks, mode, measured(sinks, mode))),
  );
}

function measured(sinks: number, mode: string): McpFigures {
  return measuredApart("mcp-run.ts", [String(objects), String(sinks), mode]) as McpFigures;
}

function row(sinks: number, mode: string, figures: McpFigures): readonly string[] {
  return [
    String(sinks),
    mode,
    `${figures.firstMs.toFixed(0)} ms`,
    String(figures.firstEncodings),
    `${(figures.changeMs * 1000).toFixed(0)} µs`,
    String(figures.encodings),
    (figures.bytes / sinks).toFixed(0),
  ];
}
