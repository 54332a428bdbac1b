import { atScale } from "../../support/scale.ts";
import { TcpProxy } from "../../support/abuse/tcp-proxy.ts";
import type { Fault } from "../fault.ts";
import { FaultedServer } from "../oracle/faulted-server.ts";

const resets = atScale({ quick: 3, whole: 40 });

/** Faults of the connections between clients and the server. */
export const connectionFaults: readonly Fault[] = [
  {
    name: "connections that are reset",
    effect: "Proxies keep their configuration and connect again. A delta client resumes and gets only changes.",
    bound: { seconds: 5 },
    async run() {
      await using network = new AsyncDisposableStack();
      let proxy: TcpProxy | undefined;
      const clientPort = async (xdsPort: number) => {
        proxy = network.use(await TcpProxy.start(xdsPort));
        return proxy.port;
      };
      await using server = await FaultedServer.start({ clientPort });
      let worst = 0;
      for (let reset = 0; reset < resets; reset++) {
        server.edit();
        proxy?.cut();
        worst = Math.max(worst, await server.recovered({ seconds: 20 }));
      }
      return await server.outcome(worst);
    },
  },
];
