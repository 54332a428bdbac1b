import { startBinnacle } from "../../test/e2e/support/binnacle/server.ts";
import { Kube } from "../../test/e2e/support/kube/kube.ts";
import { Istiod } from "../../test/e2e/support/xds/istiod.ts";

/** A server that a fleet can connect to. */
export interface RunningServer extends AsyncDisposable {
  readonly xdsPort: number;
  readonly pid: number;
  /** Called after an edit of the mesh, for a server that does not read the mesh. */
  readonly edited?: (key: string) => void;
}

/** A control plane that serves a directory of YAML. */
export interface Contestant {
  readonly name: string;
  /** Stages in which proxies would wait for ever for a response. They are left out. */
  readonly unanswered?: ReadonlySet<string>;
  /** Resolves when the server is ready. */
  readonly start: (directory: string) => Promise<RunningServer>;
}

export const binnacle: Contestant = binnacleWith([]);

/** This server with more flags. */
export function binnacleWith(flags: readonly string[]): Contestant {
  return {
    name: "binnacle",
    start: (dir) => startBinnacle({ dir, args: ["--log-level", "warn", ...flags] }),
  };
}

/** A real istiod that reads the directory. It does not start without an API server, which has no objects of the mesh. */
export async function istiodBeside(executable: string | undefined): Promise<Contestant & AsyncDisposable> {
  const kube = await Kube.start();
  return {
    name: "istiod",
    start: async (directory) => {
      const istiod = await Istiod.start({
        kubeconfig: kube.kubeconfig("admin"),
        configSources: [`fs://${directory}`],
        ...(executable !== undefined && { executable }),
      });
      await istiod.ready();
      return istiod;
    },
    [Symbol.asyncDispose]: () => kube[Symbol.asyncDispose](),
  };
}
