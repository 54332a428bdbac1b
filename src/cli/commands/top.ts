import { periodMs } from "../../app/options/option-values.ts";
import { Signals } from "../../app/process/signals.ts";
import { MeshError } from "../../lib/errors.ts";
import { type Command, type DocumentedFlag, ExitCode, type Terminal } from "../command.ts";
import { switchFlag, valueFlag } from "../flags/flag.ts";
import { inNotation, isText, outputFlag, type TableForm, tableForms } from "../flags/notation.ts";
import { noPositionals, type ReadFlags, readFlags } from "../flags/read-flags.ts";
import { serverFlag } from "../flags/server-flag.ts";
import { withServerProgress } from "../mesh/with-server-progress.ts";
import type { Screen } from "../text/screen.ts";
import { firstState } from "../top/top-state.ts";
import { topText } from "../top/top-lines.ts";
import { LiveTop } from "../top/live-top.ts";
import { takeSample } from "../top/top-sample.ts";
import { topView } from "../top/top-view.ts";
import { WakeUp } from "../watch/wake-up.ts";

const flags: readonly DocumentedFlag[] = [
  { ...serverFlag, doc: "The --http address of the server. The prefix http:// is optional." },
  valueFlag("interval", "DURATION", "Time between two samples. Rates are those between two samples.", "2s"),
  valueFlag("filter", "TEXT", "Shows only proxies with this text in their node id, workload, version or labels."),
  switchFlag("once", "Takes two samples, prints once and exits. For scripts."),
  { ...outputFlag(tableForms), doc: "Output format. Only with --once." },
];

/** A shorter interval would measure the server's own answers. */
const shortestMs = 100;

export const command: Command = {
  usage: "[flags]",
  flags,
  examples: [
    "top",
    "top --server 127.0.0.1:8080 --interval 1s",
    "top --once -o json",
    "top --once -o wide --filter shop",
  ],
  problem: "the server is unreachable; with --once also: a proxy is behind or rejects its configuration",
  async run(args, terminal) {
    const given = readFlags(args, flags, noPositionals);
    const form = given.choice("output", tableForms);
    const intervalMs = intervalOf(given);
    if (given.has("once")) return await printOnce(given, { form, intervalMs }, terminal);
    if (form !== "text") throw new MeshError("bad-option", `-o ${form}: only with --once`);
    const { screen } = terminal;
    if (screen === undefined) throw new MeshError("bad-option", "top needs a terminal; scripts use --once");
    return await live(given, { intervalMs, screen }, terminal);
  },
};

function intervalOf(given: ReadFlags): number {
  const ms = periodMs.parse([given.value("interval")]);
  if (ms !== undefined && ms >= shortestMs) return ms;
  const expected = `${periodMs.expected}, at least ${shortestMs}ms`;
  throw new MeshError("bad-option", `--interval: expected ${expected}, found ${given.value("interval")}`);
}

interface OnceOptions {
  readonly form: TableForm;
  readonly intervalMs: number;
}

async function printOnce(given: ReadFlags, { form, intervalMs }: OnceOptions, terminal: Terminal) {
  const server = given.value("server");
  const sample = () => takeSample(server, given.value("filter"), () => terminal.clock.now());
  const before = await withServerProgress(server, terminal, sample);
  await new WakeUp(terminal.clock).wait(intervalMs);
  const view = topView(before, await withServerProgress(server, terminal, sample));
  const state = { ...firstState, filter: given.value("filter") };
  const options = { server, state, now: Date.parse(view.at), coloured: false, isWide: form === "wide" };
  if (isText(form)) terminal.print(topText(view, options));
  else terminal.printData(inNotation(view, form));
  return view.proxies.synced === view.proxies.total ? ExitCode.ok : ExitCode.problem;
}

interface LiveOptions {
  readonly intervalMs: number;
  readonly screen: Screen;
}

/** The first sample must succeed, so that a wrong address is an error and no empty screen. */
async function live(given: ReadFlags, { intervalMs, screen }: LiveOptions, terminal: Terminal): Promise<ExitCode> {
  const server = given.value("server");
  const filter = given.value("filter");
  const first = await withServerProgress(server, terminal, () =>
    takeSample(server, filter, () => terminal.clock.now()),
  );
  const stop = new AbortController();
  const end = () => stop.abort();
  // A terminal that is closed sends SIGHUP.
  using signals = new Signals({ reload: end });
  void signals.toldToStop.then(end);
  const stopped = AbortSignal.any([stop.signal, terminal.outputClosed]);
  using top = new LiveTop({ server, intervalMs, first, filter, screen }, terminal);
  await top.run(stopped);
  return ExitCode.ok;
}
