import { globSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Logger } from "../../../src/index.ts";
import type { SentResponse } from "../../../src/xds/stream-observer.ts";
import type { Event } from "./event-log.ts";

/** A logger that picks out of the control plane's log what the screen shows. */
export function listenToLog(directory: string, note: (event: Event) => void): Logger {
  const heard = (fields: object, message: string) => {
    if (message === "proxy rejected a response") note(rejectionOf(fields as Rejection));
  };
  const logger: Logger = {
    // Lines of other levels sum the responses to many proxies.
    debug: (fields, message) => {
      if (message === "push") note(pushOf(fields as SentResponse, directory));
    },
    info: heard,
    warn: heard,
    error: (fields, message) => note({ type: "trouble", at: Date.now(), text: `${message}: ${reasonIn(fields)}` }),
    child: () => logger,
  };
  return logger;
}

interface Rejection {
  readonly type: string;
  readonly node: string;
  readonly reason: string;
}

function pushOf({ type, node, bytes, cause }: SentResponse, directory: string): Event {
  const at = Date.now();
  const push = { type: "push", at, resourceType: type, bytes, clients: [nameIn(node)], causes: cause } as const;
  return cause.includes("request") ? push : { ...push, sinceSaveMs: at - lastSaveIn(directory) };
}

function rejectionOf({ type, node, reason }: Rejection): Event {
  return { type: "trouble", at: Date.now(), text: `${nameIn(node)} rejected ${type}: ${reason}` };
}

function reasonIn(fields: object): string {
  return "err" in fields ? String(fields.err) : JSON.stringify(fields);
}

/** `sidecar~127.0.0.1~productpage-0.bookinfo~…` is productpage-0. */
function nameIn(node: string): string {
  return node.split("~")[2]?.split(".")[0] ?? node;
}

/** Of the files that are there this very moment: editors write others beside them, and take them away again. */
function lastSaveIn(directory: string): number {
  const files = globSync("*.yaml", { cwd: directory }).map((file) => join(directory, file));
  return Math.max(...files.map((file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0));
}
