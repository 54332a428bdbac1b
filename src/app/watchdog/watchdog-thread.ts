import type { LogFormat } from "../log/logger.ts";
import { afterTick } from "./after-tick.ts";

/** The shared numbers: the main thread counts its heartbeats, the watchdog the stalls that it saw. */
export const cells = { beats: 0, stalls: 1 } as const;

export interface ThreadSettings {
  readonly shared: SharedArrayBuffer;
  /** Silence that counts as a stall. */
  readonly stallMs: number;
  readonly tickMs: number;
  /** The format of the log on stderr. */
  readonly format: LogFormat;
}

/** Tells the main thread that a stall is over. */
export interface StallEnd {
  readonly stuckMs: number;
}

/** Frames of the stack that the log shows. A line must fit into one write to a pipe. */
const mostFrames = 20;
/** How long a main thread may take to reach a place where it can be paused. Native code has no such place. */
const pauseMs = 2_000;

/**
 * The program of the watchdog's thread, as a text: one built file and a package need no second file then. It writes to
 * stderr itself, because the main thread cannot. The inspector session is inside this process and opens no port. It
 * exists only during a stall: a debugger makes code slower.
 */
export const threadProgram = `
const { parentPort, workerData } = require("node:worker_threads");
const { Session } = require("node:inspector");
const { writeSync } = require("node:fs");
const afterTick = ${String(afterTick)};
const { stallMs, tickMs, format } = workerData;
const shared = new Int32Array(workerData.shared);
let watched = { beat: Atomics.load(shared, ${cells.beats}), silentMs: 0 };
let tickedAt = performance.now();
let isStuck = false;

setInterval(() => {
  const now = performance.now();
  const { silentMs } = watched;
  watched = afterTick(watched, Atomics.load(shared, ${cells.beats}), now - tickedAt, tickMs);
  tickedAt = now;
  if (watched.silentMs >= stallMs && !isStuck) {
    isStuck = true;
    Atomics.add(shared, ${cells.stalls}, 1);
    report(watched.silentMs);
  }
  if (watched.silentMs === 0 && isStuck) {
    isStuck = false;
    parentPort.postMessage({ stuckMs: Math.round(silentMs) });
  }
}, tickMs);

function report(silentMs) {
  const scripts = new Map();
  const session = new Session();
  let isDone = false;
  const done = (stack) => {
    if (isDone) return;
    isDone = true;
    try {
      session.disconnect();
    } finally {
      write({ stuckMs: Math.round(silentMs), stack });
    }
  };
  try {
    session.connectToMainThread();
    session.on("Debugger.scriptParsed", ({ params }) => scripts.set(params.scriptId, params.url));
    session.on("Debugger.paused", ({ params }) => done(params.callFrames.slice(0, ${mostFrames}).map((frame) => placeOf(frame, scripts))));
    session.post("Debugger.enable");
    session.post("Debugger.pause");
    setTimeout(() => done(["unknown: the main thread runs native code"]), ${pauseMs});
  } catch (error) {
    done(["unknown: " + error.message]);
  }
}

function placeOf({ functionName, location }, scripts) {
  const place = (scripts.get(location.scriptId) || "unknown") + ":" + (location.lineNumber + 1) + ":" + (location.columnNumber + 1);
  return (functionName || "(anonymous)") + " (" + place + ")";
}

function write({ stuckMs, stack }) {
  const time = new Date().toISOString();
  const msg = "main thread is stuck";
  const json = () => JSON.stringify({ level: "error", time, scope: "server", stuckMs, stack, msg }) + "\\n";
  const text = () => [time.slice(11, 23) + " error " + msg + " scope=server stuckMs=" + stuckMs, ...stack].join("\\n    at ") + "\\n";
  try {
    writeSync(2, format === "json" ? json() : text());
  } catch {
    // Nobody reads the log now. The metric still counts the stall.
  }
}
`;
