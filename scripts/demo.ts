/**
 * `npm run demo`: the control plane, real workloads and real xDS clients on one machine, and where their calls go.
 * `npm run demo:envoy` is the same with real Envoys. See examples/bookinfo/README.md.
 */
import { parseArgs } from "node:util";
import { durationMs } from "../src/app/option-values.ts";
import { MeshError } from "../src/index.ts";
import { envoyEdition } from "./demo/cast/envoy-edition.ts";
import { grpcEdition } from "./demo/cast/grpc-edition.ts";
import { PlainDisplay } from "./demo/display/plain-display.ts";
import { Screen } from "./demo/display/screen.ts";
import { farewell } from "./demo/display/words.ts";
import { Ending } from "./demo/ending.ts";
import { runDemo } from "./demo/run.ts";
import { PeerUnavailable } from "./peer.ts";

const usage = "usage: npm run demo -- [DIR] [--envoy] [--for DURATION]";

interface Arguments {
  readonly directory: string;
  readonly edition: typeof grpcEdition;
  readonly afterMs: number | undefined;
}

/** Throws `bad-option`. */
function readArguments(args: readonly string[]): Arguments {
  const options = { envoy: { type: "boolean" }, for: { type: "string" } } as const;
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    const afterMs = values.for === undefined ? undefined : durationMs.parse([values.for]);
    if (values.for !== undefined && afterMs === undefined) throw new Error(`--for: expected ${durationMs.expected}`);
    const [directory = "examples/bookinfo", ...more] = positionals;
    if (more.length > 0) throw new Error(`one directory, not also ${more.join(" ")}`);
    return { directory, edition: values.envoy === true ? envoyEdition : grpcEdition, afterMs };
  } catch (cause) {
    const { message } = MeshError.from(cause);
    throw new MeshError("bad-option", `${message}\n${usage}`, { cause });
  }
}

async function demo(args: readonly string[]): Promise<void> {
  const { directory, edition, afterMs } = readArguments(args);
  await edition.prepare();
  const { stdin, stdout } = process;
  const draws = stdout.isTTY && process.env["TERM"] !== "dumb";
  {
    using ending = new Ending({ input: draws && stdin.isTTY ? stdin : undefined, afterMs });
    using display = draws ? new Screen(stdout) : new PlainDisplay((line) => void stdout.write(`${line}\n`));
    await runDemo({ edition, directory, display, signal: ending.signal });
  }
  if (draws) stdout.write(`${farewell(directory)}\n`);
}

/** The exit code: what was in the way becomes one sentence, a bug keeps its stack. */
async function main(args: readonly string[]): Promise<number> {
  try {
    await demo(args);
    return 0;
  } catch (thrown) {
    const expected = thrown instanceof PeerUnavailable || thrown instanceof MeshError;
    if (!expected) throw thrown;
    process.stderr.write(`demo: ${thrown.message}\n`);
    return thrown instanceof MeshError && thrown.code === "bad-option" ? 2 : 1;
  }
}

process.exitCode = await main(process.argv.slice(2));
