import type { Addresses } from "../../../../src/admin/state.ts";
import { main } from "../checkout.ts";
import { Child } from "../child.ts";
import { get } from "../http.ts";

/** `binnacle` with these arguments in a process of its own, whatever comes of it. */
export function binnacle(...args: readonly string[]): Child {
  return binnacleIn(process.env, ...args);
}

/** The same, in another environment. */
export function binnacleIn(env: NodeJS.ProcessEnv, ...args: readonly string[]): Child {
  return new Child(process.execPath, [main, ...args], { env });
}

export function portOf(address: string): number {
  return Number(address.slice(address.lastIndexOf(":") + 1));
}

/** `binnacle galley` on any free ports, and where they are. */
export interface RunningGalley {
  readonly child: Child;
  readonly addresses: Addresses;
}

/** Resolves when it says that it is ready. */
export async function startGalley(...args: readonly string[]): Promise<RunningGalley> {
  const anyPorts = [
    "--http",
    "127.0.0.1:0",
    "--mcp",
    "127.0.0.1:0",
    "--metrics",
    "127.0.0.1:0",
    "--ctrlz",
    "127.0.0.1:0",
  ];
  const child = binnacle("galley", ...anyPorts, ...args);
  try {
    const ready = await child.line(/^ready: http 127\.0\.0\.1:(\d+)/, { seconds: 30 });
    const { body } = await get(Number(ready[1]), "/debug/addresses");
    return { child, addresses: JSON.parse(body) as Addresses };
  } catch (cause) {
    await child.stop();
    throw new Error(`galley did not start:\n${child.log()}`, { cause });
  }
}
