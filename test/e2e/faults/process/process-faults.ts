import { setTimeout as pause } from "node:timers/promises";
import { atScale } from "../../support/scale.ts";
import type { Fault } from "../fault.ts";
import { FaultedServer } from "../oracle/faulted-server.ts";
import { killWriters } from "./killed-writers.ts";

const deaths = atScale({ quick: 1, whole: 40 });
const stopMs = atScale({ quick: 2_000, whole: 60_000 });

/** Faults of the process itself. */
export const processFaults: readonly Fault[] = [
  {
    name: "kill -9 at random moments during edits and pushes",
    effect:
      "Streams end. Proxies keep their configuration and connect again. The restarted server sends nothing older than they hold.",
    bound: { seconds: 10 },
    async run({ random }) {
      await using server = await FaultedServer.start();
      let worst = 0;
      for (let death = 0; death < deaths; death++) {
        server.edit();
        // Between the edit and the end of its push.
        await pause(random.below(300));
        await server.kill();
        const killedAt = performance.now();
        await server.restart();
        await server.recovered({ seconds: 30 });
        worst = Math.max(worst, (performance.now() - killedAt) / 1000);
      }
      return await server.outcome(worst);
    },
  },
  {
    name: "kill -9 during the start and during writes of roots and probe files",
    effect:
      "The restarted server has either the old roots of its authority or the new ones, whole. Workloads of both trust each other. Old probe files are stale.",
    bound: { seconds: 10 },
    form: "whole",
    run: ({ random }) => killWriters(random),
  },
  {
    name: "a stopped process (SIGSTOP, SIGCONT)",
    effect: "Streams stay open. After the pause the server sends the newest state once.",
    bound: { seconds: 5 },
    async run() {
      await using server = await FaultedServer.start();
      server.process.kill("SIGSTOP");
      server.edit();
      await pause(stopMs);
      server.edit();
      server.process.kill("SIGCONT");
      const seconds = await server.recovered({ seconds: 20 });
      return await server.outcome(seconds);
    },
  },
];
