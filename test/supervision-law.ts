import { parseSync } from "oxc-parser";

/** Files that run without the supervisor, each with the reason. */
const unsupervised: Readonly<Record<string, string>> = {
  "app/build-pilot.ts":
    "part of the pipeline: a commit becomes a push, and a throw means that the graph may be inconsistent",
  "app/ca/certificate-authority.ts": "a failure keeps the last good roots: the keeper of the roots catches it",
  "app/ca/certificate-service.ts": "serves a call: a failure ends that call with INTERNAL",
  "app/kube/webhook/reconciler.ts": "a throw ends a watch, which is reported and repeated",
  "app/mcp/callout.ts": "part of the pipeline to sinks: a failed stream ends, and is dialled again",
  "app/mcp/remote-galleys.ts": "no server: its observers do nothing",
  "app/mcp/stream-gate.ts": "part of the pipeline to sinks: serves a stream after its wait",
  "app/mcp/tapped-stream.ts": "part of the pipeline to sinks: forwards messages",
  "app/mcp/watched-stream.ts": "part of the pipeline to sinks: forwards messages, and its creator guards the watcher",
  "app/store/leased-keys.ts": "part of the pipeline: writes registered VMs to etcd, and catches failures",
  "app/workloads/shared-entries.ts": "part of the pipeline: a source reports that it is stale",
  "app/options/option-values.ts": "onOff is a kind of value, not a callback",
  "app/quarantine/refusal-keeper.ts":
    "its errors are reported to the supervisor, and proxies find refused objects anew",
  "app/rollout/rollout-keeper.ts": "its errors are reported to the supervisor, and the next change is written again",
  "app/shared-document/etcd-document-store.ts": "ends a watch when it is stopped",
  "app/process/crash.ts": "ends the process after a failure without an owner",
  "app/process/signals.ts": "ends the process on a signal",
  "app/process/lifecycle.ts": "starts and stops the components, the supervised ones included",
  "app/log/file-destination.ts": "below the log: writes lines, and catches errors of the disk",
  "app/log/stderr-destination.ts": "below the log: writes the last lines when the process ends",
  "app/log/stream-destination.ts": "below the log: writes lines, and handles errors of the stream",
  "app/recording/replay-server.ts": "no server: a command repeats a recording and ends",
  "app/recording/server-recording.ts":
    "part of the pipeline: divides its work into steps; the file catches its own failures",
  "app/offline/offline-pipeline.ts": "no server: a command reads a mesh and ends",
  "admin/webhook/webhook-server.ts": "its own #attempt reports: a socket is released even while the part is paused",
};

const subscribing = new Set([
  "onCommit",
  "onReport",
  "on",
  "once",
  "addListener",
  "prependListener",
  "addEventListener",
]);
const bareTimers = new Set(["setTimeout", "setInterval", "setImmediate", "queueMicrotask", "nextTick"]);
/** `onFailure`, `observer`: names of callbacks that other code calls. */
const callback = /^(?:on[A-Z]\w*|observer)$/u;

/** The parts of a syntax tree that this law looks at. */
interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly name?: string;
  readonly key?: SyntaxNode;
  readonly id?: SyntaxNode;
  readonly init?: unknown;
  readonly value?: unknown;
  readonly callee?: SyntaxNode;
  readonly object?: SyntaxNode;
  readonly property?: SyntaxNode;
  readonly properties?: readonly SyntaxNode[];
  readonly arguments?: readonly SyntaxNode[];
}

interface Finding {
  readonly at: number;
  readonly problem: string;
}

/**
 * Listeners, callbacks and timers of `app` and `admin` that the supervisor does not run, by line. A throw in one of
 * them would end a stream or the process. A callback needs no supervisor if it calls only loggers, which are supervised
 * themselves, the supervisor, and other callbacks. Timers need a `SupervisedClock`, which the compiler accepts only
 * from a supervisor.
 */
export function* supervisionLaw({ path, text }: { path: string; text: string }): Iterable<string> {
  if (!/^(?:app|admin)\//u.test(path) || path.endsWith(".test.ts") || path in unsupervised) return;
  const clock = /\bClock\b/u.test(importsOf(text)) ? "Clock" : "SupervisedClock";
  for (const { at, problem } of findingsIn(parseSync(path, text).program, clock)) {
    yield `line ${text.slice(0, at).split("\n").length} ${problem}`;
  }
}

/** The exceptions that no file needs any more. */
export function needlessExceptions(files: readonly { readonly path: string; readonly text: string }[]): string[] {
  return Object.keys(unsupervised).filter((path) => {
    const file = files.find((each) => each.path === path);
    return file === undefined || [...findingsIn(parseSync(path, file.text).program, "Clock")].length === 0;
  });
}

function importsOf(text: string): string {
  return Array.from(text.matchAll(/^import .*$/gmu), ([line]) => line).join("\n");
}

function* findingsIn(value: unknown, clock: string): Iterable<Finding> {
  if (Array.isArray(value)) for (const item of value) yield* findingsIn(item, clock);
  if (!isNode(value) || isSupervised(value)) return;
  const called = nameOf(value.callee);
  if (bareTimers.has(called)) yield { at: value.start, problem: "sets a timer on no clock: use one of the supervisor" };
  if (called === "after" && clock !== "SupervisedClock") {
    yield { at: value.start, problem: "sets a timer on a Clock: take a SupervisedClock" };
  }
  const listener = value.arguments?.at(-1);
  if (subscribing.has(called) && value.callee?.type === "MemberExpression" && !isCalm(listener)) {
    yield { at: value.start, problem: "subscribes a listener that the supervisor does not guard" };
  }
  const name = nameOf(value.key ?? value.id);
  const isNamed = value.type === "Property" || value.type === "VariableDeclarator";
  if (isNamed && callback.test(name) && !isCalm(value.type === "Property" ? value.value : value.init)) {
    yield { at: value.start, problem: `gives a callback ${name} that the supervisor does not guard` };
  }
  for (const child of Object.values(value)) yield* findingsIn(child, clock);
}

/** Made by the supervisor, by a function that gets the supervisor, or the construction of a supervisor. */
function isSupervised({ type, callee, arguments: given = [] }: SyntaxNode): boolean {
  if (type === "NewExpression") return nameOf(callee) === "Supervisor";
  if (type !== "CallExpression") return false;
  const named = given.flatMap((each) => [each, ...(each.properties ?? [])]);
  return nameOf(callee?.object) === "supervisor" || named.some((each) => nameOf(each.key ?? each) === "supervisor");
}

/**
 * True if it is safe to hand out: a callback from elsewhere, one from the supervisor, or one that calls nothing that
 * throws.
 */
function isCalm(value: unknown): boolean {
  if (!isNode(value)) return true;
  if (value.type === "ObjectExpression") return (value.properties ?? []).every((property) => isCalm(property.value));
  if (/Function/u.test(value.type)) return callsIn(value).every(isCalmCall);
  if (value.type.endsWith("Literal")) return true;
  return value.type === "CallExpression" ? isSupervised(value) : callback.test(nameOf(value));
}

function isCalmCall(call: SyntaxNode): boolean {
  const called = nameOf(call.callee);
  return callback.test(called) || called === "errorFrom" || /logger$/iu.test(nameOf(call.callee?.object));
}

/** All inner calls that the supervisor does not run. */
function callsIn(value: unknown): readonly SyntaxNode[] {
  if (Array.isArray(value)) return value.flatMap(callsIn);
  if (!isNode(value) || isSupervised(value)) return [];
  const inner = Object.values(value).flatMap(callsIn);
  return /^(?:CallExpression|NewExpression|ThrowStatement|AwaitExpression)$/u.test(value.type)
    ? [value, ...inner]
    : inner;
}

/** The last name of `logger`, `this.#logger`, `ground.logger`. Empty where there is none. */
function nameOf(node: SyntaxNode | undefined): string {
  return node?.name ?? node?.property?.name ?? "";
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}
